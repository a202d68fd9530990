"""What the explorer page reads: databases of curves as small static files."""

from analysis.explorer.export import (
    describe_databases,
    export_database,
    export_databases,
    shown_databases,
)

__all__ = ["describe_databases", "export_database", "export_databases", "shown_databases"]
