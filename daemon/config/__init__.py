"""Files and environment in; frozen settings and jobs out."""

from .faults import ConfigError, Fault
from .loading import Loaded, load
from .sections import job_schema
from .settings import Settings, read_settings, waits_for_restart

__all__ = ["ConfigError", "Fault", "Loaded", "Settings", "job_schema", "load", "read_settings", "waits_for_restart"]
