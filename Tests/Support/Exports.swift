// What the client's tests use, too, is written once, beside them.
@_exported public import TestSupport
