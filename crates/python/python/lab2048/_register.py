"""Registers the environments with Gymnasium. They are loaded when one is made.

Importing Gymnasium takes longer than importing this package, and its version may not fit. So it is
not imported here. The environments are registered at once if Gymnasium is already imported,
otherwise when it is imported later.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType

ENV_ID = "lab2048/Game-v0"
#: The module with Gymnasium's registry.
REGISTRATION = "gymnasium.envs.registration"


def register(registration: ModuleType) -> None:
    """Registers the environments once. A failure is only a warning: not everybody needs them."""
    try:
        if ENV_ID not in registration.registry:
            registration.register(
                id=ENV_ID,
                entry_point="lab2048.gym:GameEnv",
                vector_entry_point="lab2048.gym:GameVectorEnv",
            )
    except Exception as error:
        warnings.warn(f"{ENV_ID} cannot be registered with this Gymnasium (1.1 or newer is needed): {error}", stacklevel=2)


def register_when_imported() -> None:
    """Registers the environments now or when Gymnasium is imported."""
    loaded = sys.modules.get(REGISTRATION)
    if loaded is not None:
        register(loaded)
    elif not any(isinstance(finder, _Watcher) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Watcher())


class _Watcher(MetaPathFinder):
    """Waits for the import of one module, finds it as usual, and removes itself."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != REGISTRATION:
            return None
        sys.meta_path.remove(self)
        spec = find_spec(fullname)
        if spec is not None and spec.loader is not None:
            spec.loader = _Registering(spec.loader)
        return spec


class _Registering(Loader):
    """Loads a module with another loader, then registers the environments."""

    def __init__(self, loader: Loader) -> None:
        self.loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self.loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        # Later code that asks the module for its loader must get the real one.
        module.__loader__ = self.loader
        if module.__spec__ is not None:
            module.__spec__.loader = self.loader
        self.loader.exec_module(module)
        register(module)
