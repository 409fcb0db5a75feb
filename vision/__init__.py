"""What a camera says about the board; never what would be legal."""
