package import APNsProtocol
import Activities
package import HTTP2
import SightscreenModels

/// A payload that many phones of a match share: a version's state with or without an alert, encoded once.
final class PushVariant {
    let stamp: UInt32
    /// The alerts that the payload carries.
    let selection: FreshAlerts.Selection
    /// The stamp that the newest of these alerts was committed with; 0 for none.
    let alert: UInt32
    let priority: APNsPriority
    let body: HTTP2SharedBody
    private let headers: APNsHeaders
    private var template: (made: HTTP2HeaderTemplate, authority: String, authorization: Int)?

    init(stamp: UInt32, selection: FreshAlerts.Selection, alert: UInt32, headers: APNsHeaders, payload: PushPayload) {
        self.stamp = stamp
        self.selection = selection
        self.alert = alert
        self.headers = headers
        priority = headers.priority
        body = HTTP2SharedBody(payload.bytes)
    }

    /// Returns the header fields, made once for each host and provider token.
    func template(_ authority: String, _ authorization: ProviderAuthorization) -> HTTP2HeaderTemplate {
        if let template, template.authorization == authorization.serial, template.authority == authority {
            return template.made
        }
        let made = authorization.template(authority, headers)
        template = (made, authority, authorization.serial)
        return made
    }
}

/// The provider token to show now.
package struct ProviderAuthorization: Sendable {
    package var token: String
    /// A number that differs for each token that is shown.
    package var serial: Int

    package init(token: String, serial: Int) {
        self.token = token
        self.serial = serial
    }

    /// Makes the header fields of pushes that show the token.
    package func template(_ authority: String, _ headers: APNsHeaders) -> HTTP2HeaderTemplate {
        HTTP2HeaderTemplate(
            authority: authority,
            fields: [HTTP2Field("authorization", "bearer \(token)", neverIndexed: true)]
                + headers.fields.map { HTTP2Field($0.name, $0.value) }, uniqueField: headers.idField)
    }
}
