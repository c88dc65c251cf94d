"""Functions and methods that every MuranoPL expression can call, as far as checks must tell them from methods.

The tables are those of the engine's own registry, written down: loading the engine would more than double the time that
checking a small package takes. A test compares them.
"""

from __future__ import annotations

from typing import Final

__all__ = ["FUNCTIONS", "LAMBDA_FUNCTIONS"]

_LAZY: Final = """
    accumulate aggregate all any as assert coalesce def distinct examine filter generate generateMany
    groupBy indexWhere join lastIndexWhere map mergeWith orderBy orderByDescending pselect psuper
    reduce replaceBy search searchAll select selectAllCases selectCase selectMany skipWhile
    sliceWhere splitWhere super switch switchCase takeWhile thenBy thenByDescending toDict where
"""
_EAGER: Final = """
    abs add append base64decode base64encode bind bitwiseAnd bitwiseNot bitwiseOr bitwiseXor bool
    call cast characters concat config contains containsKey containsValue count cycle datetime decryptData
    defaultIfEmpty delete deleteAll dict difference dump endsWith enumerate escapeRegex find findAll
    first firstOrDefault flatten float format get hex id indexOf insert insertMany int intersect
    isBoolean isDatetime isDict isEmpty isInteger isIterable isList isNumber isObject isRegex isSet
    isString isTimespan items keys last lastIndexOf len let limit list localtz logger matches max
    memorize metadata min name new norm now patch pow random randomName range regex remove repeat
    replace replaceMany require reverse rightSplit round sequence set shiftBitsLeft shiftBitsRight
    sign single skip sleep slice split splitAt startsWith str substr substring sum
    symmetricDifference take timespan toCharArray toList toLower toSet toUpper trim trimLeft
    trimRight tuple type typeinfo union unpack utctz values with zip zipLongest
"""
# Methods that every object has, settings of the engine, and what test fixtures mock methods with.
_OTHER: Final = "getAttr setAttr config inject originalMethod withOriginal"

# Functions with an argument that is evaluated later, often item by item: inside it `$` may be the item. `let` and
# `with` change what `$` is behind an arrow.
LAMBDA_FUNCTIONS: Final = frozenset((*_LAZY.split(), "let", "with"))
FUNCTIONS: Final = frozenset((*_EAGER.split(), *_OTHER.split())) | LAMBDA_FUNCTIONS
