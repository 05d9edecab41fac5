"""What quire's server shows of streams where this package is installed: routes of the API, pages."""
