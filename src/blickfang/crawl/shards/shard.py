"""One shard: the hosts that hash to it, with everything that is theirs.

In: a folder, settings, a strategy and a judge; mail. Out: an archive and a store in that folder. It
shares nothing with other shards and knows nothing of processes: mail comes through `deliver` and
goes through the function it is given.

    FOLDER/state.sqlite        frontier, rules, log, letters
    FOLDER/NAME-00000.warc.gz  the archive
"""

import asyncio
import shutil
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack

from blickfang.crawl.fetch.fetcher import Fetcher, Fetching, make_fetcher
from blickfang.crawl.fetch.polite_client import Asker
from blickfang.crawl.focus import Strategy
from blickfang.crawl.focus.judged_values import SEEDS, HostState, Packed
from blickfang.crawl.frontier.candidates import FAILED, IMAGE, PAGE, SKIPPED, Candidate, order_of
from blickfang.crawl.frontier.frontier import Frontier
from blickfang.crawl.frontier.scope import Scope
from blickfang.crawl.permission.gate import Gate
from blickfang.crawl.render.browser_render import Renderer
from blickfang.crawl.render.js_shell import Rendering
from blickfang.crawl.replay.recorded_web import NoArchive, Replayer
from blickfang.crawl.shards.messages import (
    AskMeans,
    Began,
    Brought,
    CandidateLetters,
    CutOff,
    Full,
    GiveBack,
    Grant,
    Means,
    Message,
    Need,
    News,
    NewWeights,
    NoMorePages,
    Pause,
    Received,
    RemoteFetch,
    Samples,
    SendAgain,
    Stop,
)
from blickfang.crawl.shards.outbox import Letterbox
from blickfang.crawl.shards.remote_fetch import Errands
from blickfang.crawl.shards.scheduler import Loop
from blickfang.crawl.shards.shard_config import Setup, has_outgrown, make_report, share_out
from blickfang.crawl.shards.shard_plan import shard_of
from blickfang.crawl.state.control import lock_folder
from blickfang.crawl.state.rebuild_state import REBUILDING, open_archive, recall
from blickfang.crawl.state.state_db import STATE, StateDb, count_brought
from blickfang.crawl.visit.archiving import Archiving
from blickfang.crawl.visit.page_fetcher import PageFetcher
from blickfang.crawl.visit.page_verdict import Judge
from blickfang.crawl.visit.relink import Reoffering
from blickfang.crawl.visit.requeue import list_limits, loosen
from blickfang.io.urls import canonical
from blickfang.io.urls import host as host_of
from blickfang.io.warc import ArchiveWriter

COMMIT_S = 0.5
REPORT_S = 0.1
SYNC_S = 10.0  # what a power cut may cost
ENOUGH_PAGES, ENOUGH_IMAGES = 16, 64  # asked for when fewer are granted; the latter at reports


class Shard:
    """A shard at work."""

    def __init__(
        self, setup: Setup, strategy: Strategy, judge: Judge, send: Callable[[Message], None]
    ) -> None:
        self.setup, self.strategy, self.judge, self.send = setup, strategy, judge, send
        self.options = setup.options
        self.lock = lock_folder(setup.folder)
        with ExitStack() as after_failure:
            after_failure.callback(self.lock.close)
            self.store = StateDb(setup.folder / STATE)
            after_failure.callback(self.store.close)
            self.archive = self._open_archive()
            self.recalled = recall(setup.folder, self.store)
            self.archiving = Archiving(self.store, self.archive, self.recalled)
            self.store.number_letters_anew(setup.keeper.epoch if setup.keeper else 0)
            self.archiving.commit(sync=True)  # before any letter is sent
            after_failure.pop_all()
        self.letters = Letterbox(self.store, setup.number, send)
        self.errands = Errands(setup.number, self.owner, send)
        self.stopping: Stop | None = None
        self.asked = [False, False]  # for pages, for images
        self.image_grants = 0  # taken, since the start
        self.is_full = self.is_cut_off = False
        self.mail: list[Message] = []
        self.reported = 0  # pages

    def _open_archive(self) -> ArchiveWriter:
        if self.setup.web is not None:
            return NoArchive()
        name, keeper = f"crawl-{self.setup.number:02d}", self.setup.keeper
        rolls = {"roll_at": keeper.roll_at} if keeper else {}
        return open_archive(self.setup.folder, name, self.store, self.setup.about, **rolls)

    async def run(self) -> None:
        """Crawl until the coordinator says stop, or something breaks."""
        loop = asyncio.get_running_loop()
        ahead = loop.time() - time.time()
        loosened = loosen(self.store, list_limits(self.options, self.strategy.razor))
        self.frontier = Frontier(
            self.store,
            self.strategy,
            self.options.max_pages_per_host,
            ahead,
            with_depths=self.options.max_depth > 0,
        )
        self._recall()
        brought, ended = count_brought(self.store.db), self.frontier.ended
        reasons = dict(ended[FAILED]), dict(ended[SKIPPED])
        self.send(Began(self.setup.number, *brought, *reasons, loosened))
        async with self._make_fetcher() as fetcher, Renderer() as renderer:
            self.visitor = self._make_visitor(fetcher, renderer)
            self.visitor.bytes_before = brought[2]
            self.loop = Loop(self.options, self.frontier, self.visitor)
            self.reoffering = Reoffering(self.visitor, self.setup.folder)
            self.loop.shards = self.setup.count
            try:
                self._plant()
                self.reoffering.offer_sitemaps()
                await self._go()
                await self._end_visits()
                self.visitor.follow_up()
                if self.frontier.is_empty():
                    self.store.keep_fact(REBUILDING, 0)
                self._commit(sync=True)
                await self._save_last()
                self._report(loop.time())
            finally:  # after a mistake of ours nothing half done is committed
                await self._end_visits()
                self.archive.close()
                self.store.close()
                self.lock.close()

    def _make_fetcher(self) -> Fetcher | Replayer:
        if self.setup.web is not None:
            return Replayer(self.setup.web)
        return make_fetcher(self.setup.user_agent, self.options)

    def _make_visitor(self, fetcher: Fetching, renderer: Renderer) -> PageFetcher:
        gate, moved = Gate(self.store, self.options), self.frontier.queues.hosts_of_seeds()
        keeper = self.setup.keeper  # what an earlier life did may be lost with it, but it was done
        resumed = not self.store.is_new or (keeper is not None and keeper.epoch > 1)
        asker = Asker(
            self.options,
            gate,
            fetcher,
            resumed=resumed,
            recalled=self.recalled,
            errands=self.errands,
            per_address=share_out(self.options.per_address, self.setup.number, self.setup.count),
        )
        return PageFetcher(
            self.options,
            self.frontier,
            gate,
            self.archiving,
            asker,
            Rendering(self.options, asker, renderer),
            self.judge,
            self.post,
            self.setup.picture_sizes,
            Scope(self.options, [*map(host_of, self.setup.seeds), *moved]),
        )

    def _recall(self) -> None:
        """Give the strategy back what it knew."""
        learned = self.store.fact(self.strategy.learned_as)
        rows = self.store.db.execute(
            f"SELECT host, data FROM {self.strategy.kept_in} ORDER BY number"  # noqa: S608 -- constants
        ).fetchall()
        for row in rows:
            self.strategy.keep(Packed(*row))
        if learned is not None:
            self.strategy.adopt(learned, {})
        followed = self.store.fact("followed")
        if followed is not None:
            self.strategy.unpack_memory(followed)
        self.archiving.samples = [data for _, data in rows]

    def _plant(self) -> None:
        """Queue the seeds; those known already stay what they are."""
        known = [url for seed in self.setup.seeds if (url := canonical(seed))]
        self.post(
            Candidate(url, host_of(url), PAGE, SEEDS, float(number), why="seed")
            for number, url in enumerate(known)
            if self.owner(host_of(url)) == self.setup.number
        )

    def owner(self, host: str) -> int:
        """Return the shard that owns a host."""
        return shard_of(host, self.setup.count)

    def post(self, candidates: Iterable[Candidate]) -> None:
        """Queue what is ours, and write letters about the rest."""
        if self.setup.count == 1:
            self.frontier.add(candidates)
            return
        ours = []
        for candidate in candidates:
            owner = self.owner(candidate.host)
            if owner == self.setup.number:
                ours.append(candidate)
            else:
                self.frontier.known.remember(candidate, order_of(candidate))
                self.letters.write(owner, candidate)
        self.frontier.add(ours)

    def deliver(self, message: Message) -> None:
        """Take mail; it is read when the loop comes round."""
        self.mail.append(message)
        if hasattr(self, "loop"):
            self.loop.stirred.set()

    async def _go(self) -> None:
        clock = asyncio.get_running_loop().time
        commit_at = report_at = clock()
        sync_at = clock() + SYNC_S
        while self.stopping is None or (self.loop.tasks and not self.stopping.at_once):
            self._read_mail()
            error = self.loop.error or self.errands.error
            if error is not None:
                raise error
            self._tell_trouble()
            if self.stopping is None:
                self.loop.fill()
                self._ask_for_pages()
            now = clock()
            if now >= commit_at:
                self.visitor.follow_up()
                sync = now >= sync_at or bool(self.letters.to_confirm and not self.loop.tasks)
                self._commit(sync=sync)
                sync_at = now + SYNC_S if sync else sync_at
                commit_at = now + COMMIT_S
            if now >= report_at or has_outgrown(self.loop, self.reported):
                if self.stopping is None:
                    self.reoffering.step(alone=not self.loop.tasks)
                    self._ask_for_images()
                self._report(now)
                report_at = now + REPORT_S
            await self.loop.wait(min(commit_at, report_at))

    def _tell_trouble(self) -> None:
        """Say that nothing can be fetched, for all hosts alike."""
        if self.visitor.asker.is_cut_off() and not self.is_cut_off:
            self.is_cut_off = True
            self.send(CutOff(self.setup.number))

    async def _end_visits(self) -> None:
        for task in self.loop.tasks:
            task.cancel()
        await asyncio.gather(*self.loop.tasks, return_exceptions=True)
        await self.errands.end()

    def _ask_for_pages(self) -> None:
        """Ask for the right to fetch more pages; give it back when others have better ones."""
        if self.loop.wants_pages and not self.frontier.only_images:
            self._need(PAGE, ENOUGH_PAGES)
        elif not self.loop.tasks:
            self._give_back(PAGE)

    def _ask_for_images(self) -> None:
        """Ask for the right to fetch more images where they have a limit, before any report.

        A shard without it counts as idle: only its coordinator knows whether there are more.
        """
        if not self.options.max_images:
            return
        if self.frontier.has_images():
            self._need(IMAGE, ENOUGH_IMAGES)
        elif not self.loop.tasks:
            self._give_back(IMAGE)

    def _need(self, kind: int, enough: int) -> None:
        if self.loop.granted[kind] < enough and not self.asked[kind]:
            self.asked[kind] = True
            self.send(Need(self.setup.number, enough, kind))

    def _give_back(self, kind: int) -> None:
        if self.loop.granted[kind]:
            self.send(GiveBack(self.setup.number, self.loop.granted[kind], kind))
            self.loop.granted[kind] = 0

    def _commit(self, *, sync: bool) -> None:
        """Make everything permanent, then send the letters that are now safe."""
        free = shutil.disk_usage(self.setup.folder).free / 1e6
        followed = self.strategy.pack_memory()
        if followed is not None:
            self.store.keep_fact("followed", followed)
        self.archiving.commit(sync=sync)
        if self.options.min_disk_mb and free < self.options.min_disk_mb and not self.is_full:
            self.is_full = True
            self.send(Full(self.setup.number))
        self._save(sync=sync)
        self.letters.send_new()

    def _save(self, *, sync: bool) -> None:
        """Confirm the letters that are safe now, which may take more than a commit.

        Their sender forgets them: no power cut may take them away here.
        """
        keeper = self.setup.keeper
        if keeper is None:
            safe: Sequence[Message] = self.letters.take_confirmations() if sync else ()
        else:
            safe = keeper.look()
            is_idle = self.frontier.is_empty() and not self.loop.tasks
            if keeper.is_due(urgent=is_idle and bool(self.letters.to_confirm)):
                keeper.begin(self.letters.take_confirmations())
        for message in safe:
            self.send(message)

    async def _save_last(self) -> None:
        """Save what was done at last, and wait for it."""
        if self.setup.keeper is not None:
            for message in await self.setup.keeper.finish(self.letters.take_confirmations()):
                self.send(message)

    def _read_mail(self) -> None:
        mail, self.mail = self.mail, []
        for message in mail:
            match message:
                case CandidateLetters():
                    self.frontier.add(self.letters.take(message))
                case Received():
                    self.store.forget_letters(message.receiver, message.number)
                case SendAgain():
                    self.letters.send_again(message.shard)
                case RemoteFetch():
                    self.errands.run(message, self.visitor.rendering.ask_for_others)
                case Brought():
                    self.errands.take(message)
                case _:
                    self._obey(message)

    def _obey(self, message: Message) -> None:
        """Do what the coordinator says."""
        match message:
            case Grant():
                self.asked[message.kind] = False
                self.loop.granted[message.kind] += message.many
                self.image_grants += message.kind == IMAGE
            case NoMorePages():
                self.frontier.close_pages()
            case News():
                self.loop.elsewhere = message.best
                self.loop.other_pages = message.pages
            case AskMeans():
                self.loop.hold_back()
                self.send(Means(self.setup.number, self._means()))
            case NewWeights():
                self._adopt(message.data)
                self.loop.go_on()
            case Pause():
                self.loop.is_paused = message.on
            case Stop():
                self.stopping = message
                self.visitor.asker.end()

    def _states(self) -> dict[str, HostState]:
        rows = self.store.db.execute(
            "SELECT name, pages, fetches, evidence, worth, prior FROM hosts WHERE pages > 0"
        )
        return {name: HostState(*state) for name, *state in rows}

    def _means(self) -> dict[str, float]:
        return {name: self.strategy.host_value(state) for name, state in self._states().items()}

    def _adopt(self, data: bytes) -> None:
        """Judge by what was learned from now on; what is known of hosts is brought to its scale."""
        self.frontier.learn(self.strategy.adopt(data, self._states()))
        self.store.keep_fact(self.strategy.learned_as, data)

    def _report(self, now: float) -> None:
        if self.archiving.samples:
            self.send(Samples(self.setup.number, self.archiving.samples))
            self.archiving.samples = []
        self.reported = self.visitor.tally.pages
        busy = self.letters.is_waiting() or bool(self.letters.to_confirm)
        busy = busy or self.reoffering.is_waiting()
        number, taken = self.setup.number, self.letters.taken + self.image_grants
        self.send(make_report(number, self.loop, now, taken, is_busy=busy))
