"""What displays, viewers and the desk see of the table, over HTTP."""
