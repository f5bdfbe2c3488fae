"""Why a proof fits a statement, as a matcher with features sees it."""
