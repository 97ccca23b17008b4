"""Blocked all pairs, paged: pages go from the host to one card or several, which relax them in blocks, and back."""

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from warpath.device import Device, Launch
from warpath.distances import NO_PREDECESSOR, UNREACHABLE
from warpath.errors import OutOfMemoryError, UsageError
from warpath.graphs.csr import Graph
from warpath.solvers.variant import Parameter

from ...shared.grids import CellGrid, blocks_over
from ...shared.matrices import CELL_GRID, fill_starting_paths, grow_trees
from ...shared.plan import Plan, PlanVariant, Solution
from ...shared.predecessors import trees_needed
from .. import blocks
from ..blocks import TILE
from .blocked import LENGTH, VERTEX

KERNEL = Path(__file__).with_suffix(".cu")
MEBIBYTE = 2**20
PASSES = ("pass1", "pass2", "pass3")
WORD_BYTES = 4
CELL_WORDS = 2  # an intermediate vertex and a length
OWN, TO, FROM = range(3)
"""Places for pages on a card: for the page that changes, and for those that lead to the vertices of a stage and on."""

Page = tuple[int, int]
"""A page's row and column in the grid of pages."""

PARAMETERS = {
    "devices": Parameter("GPUs to share the pages among", 1, 1, 64),
    "page_side": Parameter("rows of a page (default: as many as the memory holds)", 0, 1),
    "device_memory_limit_mib": Parameter("mebibytes of each GPU's memory to use (default: all)", 0, 1, 2**40),
    **blocks.PARAMETERS,
}


class Card:
    """One device with a stream for all its work, and with one array: for pages, and for columns of cells in the end.

    ``places`` are views of the array, one for each page that it holds.
    """

    memory: Any = None
    places: Any = None

    def __init__(self, device: Device, macros: dict[str, int]):
        self.device, self.stream = device, device.stream()
        self.kernels = {
            (to_is_own, from_is_own): {
                name: device.kernel(KERNEL, name, {**macros, "TO_IS_OWN": to_is_own, "FROM_IS_OWN": from_is_own})
                for name in PASSES
            }
            for to_is_own, from_is_own in product((1, 0), repeat=2)
        }
        self.separate = device.kernel(KERNEL, "separate", {**macros, "TO_IS_OWN": 1, "FROM_IS_OWN": 1})

    def allocate(self, words: int, places: int, side: int) -> None:
        self.memory = self.device.empty((words,), np.int32)
        self.places = self.memory[: places * side * side * CELL_WORDS].reshape(places, side, side * CELL_WORDS)

    def drop(self) -> None:
        self.memory = self.places = None
        self.device.release()

    def copy(self, source: Any, target: Any) -> None:
        """Enqueue a copy from the host or to it."""
        self.device.copy(source, target, self.stream)


class PagedPlan(Plan[Graph]):
    """The matrix of cells is in pinned memory; an iteration is one primary page, in three passes over pages.

    Every card closes the primary page for itself, so that it is there for the second pass. The pages of the second
    pass, and then those of the third, are dealt out to the cards in turn. Each comes from the host with those that it
    needs, and goes back. The host waits for all cards after each pass. ``finish`` makes lengths and predecessors of the
    cells, some columns at a time, because a path is followed within a column. Where tight arcs can form a cycle,
    ``download`` grows trees from the lengths on the host instead. The timed region contains all copies.
    """

    def __init__(
        self,
        device: Device,
        graph: Graph,
        source: None = None,
        devices: int = 1,
        page_side: int = 0,
        device_memory_limit_mib: int = 0,
        block_side: int = 0,
        tile: int = TILE,
        cell_grid: CellGrid = CELL_GRID,
    ):
        super().__init__(device, graph)
        self.tile, self.cell_grid = block_side or tile, cell_grid
        macros = {"TILE": self.tile, "NEGATIVE_WEIGHTS": int(graph.weight_min < 0)}
        self.cards = [Card(peer, macros) for peer in device.peers(devices)]
        self.side = choose_side(graph.vertices, self.cards, page_side, device_memory_limit_mib * MEBIBYTE)
        self.iterations = blocks_over(graph.vertices, self.side)
        padded = self.iterations * self.side
        self.host_words = device.pinned((padded, padded * CELL_WORDS), np.int32)
        self.host_cells = self.host_words.reshape(padded, padded, CELL_WORDS)
        shape = (graph.vertices, graph.vertices)
        self.host_lengths, self.host_predecessors = (device.pinned(shape, np.int32) for _ in range(2))

    def reset(self) -> None:
        vertices = self.graph.vertices
        self.host_cells[..., VERTEX] = NO_PREDECESSOR
        self.host_cells[..., LENGTH] = UNREACHABLE
        inside = self.host_cells[:vertices, :vertices]
        fill_starting_paths(self.graph, inside[..., LENGTH], inside[..., VERTEX])

    def upload(self) -> None:
        words = words_of_card(self.graph.vertices, self.side)
        for card in self.cards:
            card.allocate(words, places_for(self.iterations), self.side)
        self.counters["devices"] = len(self.cards)
        self.counters["page_side"] = self.side
        self.counters["device_bytes"] = words * WORD_BYTES
        self.counters["copied_bytes"] = 0

    def iterate(self, first: int, last: int) -> None:
        for primary in range(first, last):
            others = [number for number in range(self.iterations) if number != primary]
            self._pass1(primary)
            self._share_out(primary, [*product([primary], others), *product(others, [primary])])
            self._share_out(primary, list(product(others, others)))

    def _pass1(self, primary: int) -> None:
        """Close the primary page on every card; one gives it back. It stays where the second pass reads it."""
        page, place = (primary, primary), TO if self.iterations > 1 else OWN
        for card in self.cards:
            self._copy(card, self._of_host(page), card.places[place])
        self._relax(primary, [self._passes(card, place, place, place) for card in self.cards])
        self._synchronize()  # until no card reads from the host what one of them gives back
        self._copy(self.cards[0], self.cards[0].places[place], self._of_host(page))
        self._synchronize()

    def _share_out(self, primary: int, pages: list[Page]) -> None:
        """The second or the third pass, on ``pages``, as many at a time as there are cards."""
        for first in range(0, len(pages), len(self.cards)):
            turn = list(zip(self.cards, pages[first : first + len(self.cards)], strict=False))
            for card, (row, column) in turn:
                self._copy(card, self._of_host((row, column)), card.places[OWN])
                if primary not in (row, column):
                    self._copy(card, self._of_host((row, primary)), card.places[TO])
                    self._copy(card, self._of_host((primary, column)), card.places[FROM])
            self._relax(primary, [self._passes(card, *_operands(primary, page), OWN) for card, page in turn])
            for card, page in turn:
                self._copy(card, card.places[OWN], self._of_host(page))
        self._synchronize()

    def _passes(self, card: Card, to: int, start: int, own: int) -> list[Launch]:
        """The three passes over the blocks of the page in place ``own``, for a stage that is set later."""
        kernels = card.kernels[int(to == own), int(start == own)]
        others = blocks_over(self.side, self.tile) - 1
        grids = {"pass1": (1,), "pass2": (others, 2), "pass3": (others, others)} if others else {"pass1": (1,)}
        return [
            kernels[name].bind(
                grid,
                (self.tile, self.tile),
                stream=card.stream,
                side=np.int32(self.side),
                primary=np.int32(0),
                first_vertex=np.int32(0),
                **{"to": card.places[to], "from": card.places[start], "cells": card.places[own]},
            )
            for name, grid in grids.items()
        ]

    def _relax(self, primary: int, of_cards: list[list[Launch]]) -> None:
        """All stages of the primary page. Stage by stage, so that no card waits for all launches of another."""
        for stage in range(blocks_over(self.side, self.tile)):
            number, first_vertex = np.int32(stage), np.int32(primary * self.side + stage * self.tile)
            for launches in of_cards:
                for launch in launches:
                    launch.set(primary=number, first_vertex=first_vertex)
                    launch()
                self.counters["launches"] += len(launches)

    def _of_host(self, page: Page) -> np.ndarray:
        """A page of the matrix in host memory."""
        (row, column), width = page, self.side * CELL_WORDS
        return self.host_words[row * self.side : (row + 1) * self.side, column * width : (column + 1) * width]

    def _copy(self, card: Card, source: Any, target: Any) -> None:
        card.copy(source, target)
        self.counters["copied_bytes"] += source.nbytes

    def _synchronize(self) -> None:
        for card in self.cards:
            card.stream.synchronize()

    def finish(self) -> None:
        vertices, resolved = self.graph.vertices, not trees_needed(self.graph)
        width = words_of_card(vertices, self.side) // (2 * CELL_WORDS * vertices)  # of cells, and of both matrices
        for number, left in enumerate(range(0, vertices, width)):
            card, columns = self.cards[number % len(self.cards)], min(width, vertices - left)
            parts = card.memory[: 2 * CELL_WORDS * vertices * columns].reshape(2 * CELL_WORDS, vertices, columns)
            cells, (lengths, predecessors) = parts[:CELL_WORDS].reshape(vertices, -1), parts[CELL_WORDS:]
            right = left + columns
            self._copy(card, self.host_words[:vertices, left * CELL_WORDS : right * CELL_WORDS], cells)
            card.separate(
                self.cell_grid.over(vertices, columns),
                self.cell_grid.block,
                stream=card.stream,
                rows=np.int32(vertices),
                columns=np.int32(columns),
                resolved=np.int32(resolved),
                cells=cells,
                lengths=lengths,
                predecessors=predecessors,
            )
            self.counters["launches"] += 1
            self._copy(card, lengths, self.host_lengths[:, left:right])
            if resolved:
                self._copy(card, predecessors, self.host_predecessors[:, left:right])
        self._synchronize()

    def download(self) -> Solution:
        if trees_needed(self.graph):
            grow_trees(self.graph, self.host_lengths, self.host_predecessors)
        return Solution(self.host_lengths, self.host_predecessors)

    def release(self) -> None:
        for card in self.cards:
            card.drop()


def _operands(primary: int, page: Page) -> tuple[int, int]:
    """The places of the pages that lead to the vertices of a stage and on, for a page of the second or third pass."""
    row, column = page
    if row == primary:
        return TO, OWN
    return (OWN, TO) if column == primary else (TO, FROM)


def places_for(pages: int) -> int:
    """How many pages a card holds, of a matrix with ``pages`` pages in a row."""
    return 3 if pages > 1 else 1


def words_of_card(vertices: int, side: int) -> int:
    """The words of a card's memory: for the pages of a pass, or for a column, in cells and in two matrices."""
    of_pages = places_for(blocks_over(vertices, side)) * CELL_WORDS * side * side
    return max(of_pages, 2 * CELL_WORDS * vertices)


def choose_side(vertices: int, cards: list[Card], page_side: int, limit_bytes: int) -> int:
    """``page_side``, or pages as large as the memory allows. 0 means "not given".

    A row has one page more than a multiple of the cards, as far as the vertices allow, so that each card has as many
    pages of a pass as any other.

    Raises UsageError if a given value leaves too little memory, and OutOfMemoryError if a card has too little.
    """
    free_bytes = min(card.device.memory_bytes()[0] for card in cards) * 15 // 16  # the rest is for losses
    allowed_bytes = min(free_bytes, limit_bytes or free_bytes)
    pages = 1 if len(cards) == 1 else 1 + len(cards)
    side = min(page_side, vertices) if page_side else blocks_over(vertices, pages)
    while not page_side and side > 1 and words_of_card(vertices, side) * WORD_BYTES > allowed_bytes:
        pages += len(cards)
        side = blocks_over(vertices, pages)
    needed_bytes = words_of_card(vertices, side) * WORD_BYTES
    if needed_bytes <= allowed_bytes:
        return side
    given = [f"page_side {page_side}"] if page_side else []
    given += [f"device_memory_limit_mib {limit_bytes // MEBIBYTE}"] if limit_bytes else []
    where = " with ".join(given) or cards[0].device.name
    error = UsageError if given else OutOfMemoryError
    raise error(
        f"{where}: pages of {side:,} x {side:,} cells, and a column of {vertices:,}, need {needed_bytes:,} bytes of "
        f"device memory, and {allowed_bytes:,} may be used; make pages smaller or allow more"
    )


VARIANT = PlanVariant(
    origin="katz_kider",
    plan=PagedPlan,
    host_rows=True,
    kernels=(KERNEL,),
    compiled=(grow_trees,),
    smallest={"page_side": 14, "tile": 4, "cell_grid": CellGrid((8, 4), y_max=3)},
    parameters=PARAMETERS,
)
