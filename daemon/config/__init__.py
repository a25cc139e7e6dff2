"""Files and environment in; frozen settings and jobs out."""

from .faults import ConfigError, Fault
from .loading import Loaded, load
from .read_settings import read_settings
from .sections import job_schema
from .settings import Settings, waits_for_restart

__all__ = ["ConfigError", "Fault", "Loaded", "Settings", "job_schema", "load", "read_settings", "waits_for_restart"]
