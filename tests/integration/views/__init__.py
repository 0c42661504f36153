"""The pages, asked for as a browser does."""
