"""The match at the table as a state machine: step(state, event)."""
