"""Taking an answer out of what the library gave back."""
