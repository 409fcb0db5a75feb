"""How the nets of `vision` are made: pictures drawn by our own code, and the training. Not used at the table."""
