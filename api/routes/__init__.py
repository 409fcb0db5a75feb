"""The routes, a module a subject; each translates between HTTP and the table and stops there."""
