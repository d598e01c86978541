"""What a client may believe of its writes: for each key the states that the acknowledged ones leave possible."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class MatchState:
    """One user and one match."""

    alerts: str | None = None  # None: not followed.
    token: str | None = None  # Of the activity that runs.


NOTHING = MatchState()


class MatchLedger:
    """A write that was not acknowledged may have happened or not; every other one has.

    An answer that none of the possible states can give is kept in `contradiction`: something before it was lost.
    """

    def __init__(self):
        self.possible = {NOTHING}
        self.contradiction = None

    def note(self, change, answer):
        """`change(state, answer)` gives the state after the write, or None when that state has another answer;
        `answer` is None when there was no good one."""
        after = {change(state, answer) for state in self.possible} - {None}
        if answer is None:
            after |= self.possible
        if after:
            self.possible = after
        else:
            self.contradiction = f"{answer} after {self.possible}"


def follow(alerts):
    return lambda state, answer: dataclasses.replace(state, alerts=alerts)


def change_alerts(alerts):
    """An answer of False: not followed."""

    def change(state, answer):
        if answer is not None and (state.alerts is None) != (answer is False):
            return None
        return dataclasses.replace(state, alerts=alerts) if state.alerts else state

    return change


def unfollow(state, answer):
    return NOTHING


def register(token):
    """The answer says whether the token is used or only gets an end; False: not followed."""

    def change(state, answer):
        if answer is False:
            return state if state.alerts is None else None
        used = state.alerts is not None if answer is None else answer["liveActivity"] == "active"
        if used and state.alerts is None:
            return None
        return dataclasses.replace(state, token=token) if used else state

    return change


def dismiss(state, answer):
    if answer is not None and answer["following"]:
        return state if state.alerts else None
    return NOTHING


class ValueLedger:
    """One value that each write replaces."""

    def __init__(self):
        self.possible = {None}

    def note(self, value, acknowledged):
        self.possible = {value} if acknowledged else self.possible | {value}
