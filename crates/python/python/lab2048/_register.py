"""Tells Gymnasium about the environments. They themselves are loaded when one is made."""

from __future__ import annotations

ENV_ID = "lab2048/Game-v0"


def register() -> None:
    """Registers the environments, once."""
    from gymnasium.envs.registration import register, registry

    if ENV_ID not in registry:
        register(
            id=ENV_ID,
            entry_point="lab2048.gym:GameEnv",
            vector_entry_point="lab2048.gym:GameVectorEnv",
        )
