"""A build beyond one machine: a plan, its batches in ranks, and the check of what they left."""
