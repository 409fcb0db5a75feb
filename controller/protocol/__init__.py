"""The Barpoint board on the wire: messages and frames; bytes in, values out."""
