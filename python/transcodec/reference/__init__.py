"""The pure-Python reference: the executable specification."""
