"""The extension module: import its names from `stockade.formula`."""

from typing import Any, Final, final

LANGUAGE_VERSION: Final[int]
"""Version of the language: value and cost are a function of source, inputs and this."""

def compile(source: str, signature: str | None = None) -> Compiled:
    """Compiles a formula. Without a signature any name is an input of any type."""

@final
class Compiled:
    """A formula that is in the language and fits its signature."""

    def eval(
        self, inputs: dict[str, Any] | Prepared | None = None, *, cost_max: int | None = None
    ) -> Any:
        """The value for `inputs`: a dict, or what `prepare` gave."""

    def eval_with_cost(
        self, inputs: dict[str, Any], *, cost_max: int | None = None
    ) -> tuple[Any, int]:
        """Value and cost units for `inputs`."""

    def prepare(self, inputs: dict[str, Any]) -> Prepared:
        """Converts and checks inputs once."""

    @property
    def source(self) -> str:
        """The source."""

    @property
    def kind(self) -> str:
        """What is known of the value."""

    @property
    def cost_max(self) -> int | None:
        """Most cost units that an evaluation can take, where the signature declares the sizes."""

@final
class Prepared:
    """Inputs that were converted and checked, for many evaluations."""
