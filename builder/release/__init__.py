"""Parts → release folder: splits, tables, statistics, card, manifest."""
