"""The one place that knows every room: settings in, objects out."""
