"""The table: rules, reconciling, the match, the board link and the command line."""
