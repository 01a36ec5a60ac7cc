/**
 * Generated runs that are meant to mislead the detectors: healthy ones that look like a crack, and cracks that do not
 * look like the planted ones.
 *
 * `Planted` plants the signal that a detector looks for, so its curves say little more than where the limits are. Here
 * a run is made from what happens in it: a job that takes long, a search that goes in circles between notes, a service
 * that says in its own words that a thing is gone. The kinds were fixed before they were measured, and no mark depends
 * on them.
 */
import type * as Topology from "@backstitch/contracts/Topology"
import type * as Crack from "@backstitch/topology/Crack"
import { type Recording, revised, textOf } from "./Recording.ts"

/** One kind of run. `crack` is what is wrong with it; absent if it is healthy. */
export interface Harder {
  readonly name: string
  readonly declared: Topology.Topology
  readonly crack?: Crack.CrackName
  readonly make: (run: Recording) => void
}

const declare = (kind: Topology.TopologyKind, more: Partial<Topology.Topology> = {}): Topology.Topology => ({
  kind,
  agents: {},
  order: [],
  ...more
})

const react = declare("react")
const orchestrator = declare("orchestrator", { silenceMillis: 30_000 })
const pipeline = declare("pipeline", { order: ["a", "b", "c"] })
const plan = declare("plan_execute", { planMillis: 60_000 })
const debate = declare("debate", { roundsMax: 3 })
const hierarchy = declare("hierarchical", { queueMax: 4 })

const work = (run: Recording, calls: number): void => {
  for (let index = 0; index < calls; index++) run.call("read", { page: index }, { output: textOf(run, 8) })
}

const loops: ReadonlyArray<Harder> = [
  {
    name: "a job is polled 15 to 40 times, and ends",
    declared: react,
    make: (run) => {
      work(run, run.between(2, 8))
      const word = run.pick(["pending", "job is still running", '{"status":"IN_PROGRESS"}', "queued, try again later"])
      for (let polls = run.between(15, 40); polls > 0; polls--) {
        run.call("job_status", { job: 17 }, { output: word })
        run.wait(5000)
      }
      run.call("job_status", { job: 17 }, { output: "succeeded" })
      run.finish()
    }
  },
  {
    name: "a call is tried again 3 to 9 times, and succeeds",
    declared: react,
    make: (run) => {
      for (let bursts = run.between(1, 4); bursts > 0; bursts--) {
        const q = textOf(run, 3)
        for (let tries = run.between(3, 9); tries > 0; tries--) {
          run.call("fetch", { q }, { ok: false, output: "503 Service Unavailable" })
        }
        run.call("fetch", { q }, { output: textOf(run, 6) })
      }
      run.finish()
    }
  },
  {
    name: "60 to 200 pages are read, one like the other, each with something new",
    declared: react,
    make: (run) => {
      const q = textOf(run, 2)
      for (let page = 1, pages = run.between(60, 200); page <= pages; page++) {
        run.call("list", { q, page }, { output: textOf(run, 5) })
      }
      run.finish()
    }
  },
  {
    name: "most of 30 pages are empty",
    declared: react,
    make: (run) => {
      const q = textOf(run, 2)
      for (let page = 1; page <= 30; page++) {
        run.call("list", { q, page }, { output: run.happens(0.15) ? textOf(run, 5) : "no entries on this page" })
      }
      run.finish()
    }
  },
  {
    name: "a test fails in the same way while the code is edited, 4 to 9 times",
    declared: react,
    make: (run) => {
      for (let turn = run.between(4, 9); turn > 0; turn--) {
        run.call("edit", { file: "a.ts", text: textOf(run, 12) }, { output: "edited" })
        run.call("test", {}, { output: "1 of 12 failed: expected 3, found 4" })
      }
      run.call("test", {}, { output: "12 of 12 passed" })
      run.finish()
    }
  },
  {
    name: "a search goes in circles for 25 turns, with a note after every fourth",
    declared: react,
    crack: "runaway",
    make: (run) => {
      const words = textOf(run, 5)
      for (let turn = 1; turn <= 25; turn++) {
        run.call("search", { q: revised(run, words, 0.2) }, { output: "no results" })
        if (turn % 4 === 0) run.call("note", { text: textOf(run, 4) }, { output: `saved as note ${textOf(run, 1)}` })
      }
    }
  },
  {
    name: "a search goes in circles for 25 turns, each time with another time stamp and request id",
    declared: react,
    crack: "runaway",
    make: (run) => {
      const words = textOf(run, 5)
      for (let turn = 1; turn <= 25; turn++) {
        const output = { hits: [], took: `${run.between(1, 90)} ms`, request: `req-${run.between(1, 999_999)}` }
        run.call("search", { q: revised(run, words, 0.2) }, { output })
      }
    }
  }
]

const handoffs: ReadonlyArray<Harder> = [
  {
    name: "workers report at 95 to 99 % of their time, and quote their brief",
    declared: orchestrator,
    make: (run) => {
      for (let task = 1, tasks = run.between(2, 8); task <= tasks; task++) {
        const brief = textOf(run, run.between(5, 25))
        run.note({ memo: "dispatch", task: `t${task}`, worker: `w${task}`, brief }, "boss")
        run.wait(run.real(0.95, 0.99) * 30_000)
        const result = `${brief}: ${textOf(run, run.between(6, 20))}`
        run.note({ memo: "report", task: `t${task}`, result }, `w${task}`)
        run.note({ memo: "collect", task: `t${task}` }, "boss")
      }
      run.finish("boss")
    }
  },
  {
    name: "a worker repeats its brief with other words around it",
    declared: orchestrator,
    crack: "lost_handoff",
    make: (run) => {
      const brief = textOf(run, 20)
      run.note({ memo: "dispatch", task: "t1", worker: "w1", brief }, "boss")
      run.wait(1000)
      run.note({ memo: "report", task: "t1", result: `Understood, I will: ${brief}` }, "w1")
    }
  }
]

const rows: ReadonlyArray<Harder> = [
  {
    name: "a stage is caught, mended, and judged again, and the whole is green",
    declared: pipeline,
    make: (run) => {
      for (let item = 0, items = run.between(2, 8); item < items; item++) {
        for (const stage of ["a", "b", "c"]) {
          while (run.happens(0.4)) run.note({ memo: "gate", item: `i${item}`, stage, green: false }, stage)
          run.note({ memo: "gate", item: `i${item}`, stage, green: true }, stage)
        }
        const score = run.real(0.75, 0.95)
        run.note({ memo: "gate", item: `i${item}`, stage: "whole", whole: true, green: true, score }, "judge")
      }
    }
  },
  {
    name: "the score of the whole falls slowly, over 10 items",
    declared: pipeline,
    crack: "silent_decay",
    make: (run) => {
      let score = run.real(0.85, 0.95)
      for (let item = 0; item < 10; item++) {
        for (const stage of ["a", "b", "c"]) run.note({ memo: "gate", item: `i${item}`, stage, green: true }, stage)
        run.note({ memo: "gate", item: `i${item}`, stage: "whole", whole: true, green: true, score }, "judge")
        score -= run.real(0.02, 0.05)
      }
    }
  }
]

/** The words of services for what is gone, as their manuals and sources have them. */
const gone: ReadonlyArray<(name: string) => string> = [
  (name) => `Unable to locate ${name}`,
  (name) => `No record matches ${name}`,
  (name) => `${name} has been archived`,
  (name) => `${name} is no longer on sale`,
  () => "NoSuchKey: The specified key does not exist.",
  (name) => `relation "${name}" does not exist`,
  (name) => `Could not find ${name}`,
  (name) => `${name} couldn't be found`,
  (name) => `Invalid reference: ${name}`,
  (name) => `${name} is missing`,
  () => "HTTP 404",
  () => "Error: resource has expired",
  (name) => `There is no ${name}`,
  (name) => `fatal: pathspec '${name}' did not match any files`
]

/** Words that no pattern was written for, before the patterns were measured or after. */
const goneOtherwise: ReadonlyArray<(name: string) => string> = [
  () => "The requested offer was withdrawn",
  (name) => `${name} is unavailable`,
  (name) => `${name} could not be resolved`,
  (name) => `Das Objekt ${name} wurde nicht gefunden`,
  (name) => `${name}: no longer offered`,
  () => "No hotel by that name",
  (name) => `${name} has left the catalogue`,
  (name) => `object ${name} deleted at 12:04`
]

const ghost =
  (words: ReadonlyArray<(name: string) => string>) =>
  (run: Recording): void => {
    const objects = Array.from({ length: 6 }, (_, index) => `HTL-${run.between(100, 999)}${index}`)
    run.call("list", {}, { output: objects.join(", ") }, "planner")
    run.note({ memo: "plan", steps: objects.map((each) => `book ${each}`) }, "planner")
    const [first = "", ...others] = objects
    for (const object of others) run.call("book", { object }, { output: "booked" }, "executor")
    run.call("book", { object: first }, { ok: false, output: run.pick(words)(first) }, "executor")
  }

const plans: ReadonlyArray<Harder> = [
  {
    name: "a step finds its object gone, in words of another service",
    declared: plan,
    crack: "stale_plan",
    make: ghost(gone)
  },
  {
    name: "a step finds its object gone, in words that no pattern was written for",
    declared: plan,
    crack: "stale_plan",
    make: ghost(goneOtherwise)
  },
  {
    name: "files are looked for before they are made, and renamed",
    declared: plan,
    make: (run) => {
      const names = Array.from({ length: 4 }, () => `src/file${run.between(1, 999)}.ts`)
      run.note({ memo: "plan", steps: names.map((each) => `write ${each}`) }, "planner")
      for (const path of names) {
        run.call("read", { path }, { ok: false, output: `ENOENT: no such file or directory, open '${path}'` }, "coder")
        run.call("write", { path, text: textOf(run, 9) }, { output: "written" }, "coder")
        const to = `lib/${run.between(1, 999)}.ts`
        run.call("rename", { from: path, to }, { output: "renamed" }, "coder")
        run.call("read", { path }, { ok: false, output: `ENOENT: no such file or directory, open '${path}'` }, "coder")
      }
      run.finish("planner")
    }
  }
]

const rounds = (run: Recording, changes: ReadonlyArray<number>, scores: ReadonlyArray<number> = []): void => {
  let draft = textOf(run, run.between(60, 160))
  for (const [index, change] of [0, ...changes].entries()) {
    draft = revised(run, draft, change)
    const score = scores[index] === undefined ? {} : { score: scores[index] }
    run.note({ memo: "round", round: index + 1, draft, ...score }, "writer")
  }
}

const debates: ReadonlyArray<Harder> = [
  {
    name: "a debate converges in all its rounds, each changing less than half of what the one before did",
    declared: debate,
    make: (run) => {
      const first = run.real(0.3, 0.5)
      rounds(run, [first, first * run.real(0.25, 0.45)])
    }
  },
  {
    name: "each round is rewritten, and scores far higher than the one before",
    declared: debate,
    make: (run) => rounds(run, [0.5, 0.5], [0.4, 0.6, run.real(0.8, 0.95)])
  },
  {
    name: "two drafts take turns, each with some words changed",
    declared: debate,
    crack: "deadlock",
    make: (run) => {
      const drafts = [textOf(run, 80), textOf(run, 60)]
      for (let round = 1; round <= 4; round++) {
        const draft = revised(run, drafts[round % 2]!, 0.08)
        run.note({ memo: "round", round, draft }, "writer")
      }
    }
  }
]

const queues: ReadonlyArray<Harder> = [
  {
    name: "a burst fills the queue of the root past its limit, and it drains",
    declared: hierarchy,
    make: (run) => {
      let waiting = 0
      for (const size of [run.between(5, 8), run.between(2, 4)]) {
        waiting += size
        run.note({ memo: "load", waiting, idle: run.between(1, 3) }, "root")
      }
      while (waiting > 0) {
        waiting = Math.max(0, waiting - run.between(1, 3))
        run.note({ memo: "load", waiting, idle: run.between(0, 3) }, "root")
      }
    }
  },
  {
    name: "the queue of the root grows for 20 notes, with dips, while one leaf or more is mostly idle",
    declared: hierarchy,
    crack: "root_bottleneck",
    make: (run) => {
      let waiting = 1
      for (let index = 0; index < 20; index++) {
        run.note({ memo: "load", waiting, idle: run.happens(0.15) ? 0 : run.between(1, 4) }, "root")
        waiting = Math.max(0, waiting + (run.happens(0.2) ? -1 : run.between(1, 2)))
      }
    }
  }
]

/** Every kind. */
export const all: ReadonlyArray<Harder> = [...loops, ...handoffs, ...rows, ...plans, ...debates, ...queues]
