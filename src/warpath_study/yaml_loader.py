"""A loader of PyYAML that refuses equal keys."""

from typing import Any

import yaml

_Base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # ten times faster, if PyYAML has it


class Loader(_Base):
    """Refuses equal keys in a mapping, of which PyYAML would keep the last."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen = set()
        for key, _ in node.value if isinstance(node, yaml.MappingNode) else ():
            if isinstance(key.value, str) and key.value in seen:
                raise yaml.MarkedYAMLError(problem=f"{key.value!r} occurs twice", problem_mark=key.start_mark)
            seen.add(str(key.value))
        return super().construct_mapping(node, deep)
