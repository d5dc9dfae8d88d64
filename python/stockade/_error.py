class FormulaError(ValueError):
    """Why a formula has no value, and where.

    `code` is stable (`eval-division-by-zero`), `family` one of source, language, types,
    evaluation and budget; `span` is in bytes of the source, `line` and `column` count from 1,
    `cost` is what was used until then.
    """

    code: str
    family: str
    message: str
    hint: "str | None"
    span: "tuple[int, int]"
    line: int
    column: int
    cost: int

    def __init__(
        self,
        code: str,
        family: str,
        message: str,
        hint: "str | None",
        span: "tuple[int, int]",
        place: "tuple[int, int]",
        cost: int,
    ) -> None:
        super().__init__(f"{place[0]}:{place[1]}: {message} [{code}]")
        self.code = code
        self.family = family
        self.message = message
        self.hint = hint
        self.span = span
        self.line, self.column = place
        self.cost = cost
