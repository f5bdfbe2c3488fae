"""Documents → statement–proof pairs and metadata."""
