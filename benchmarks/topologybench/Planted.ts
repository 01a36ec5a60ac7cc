/**
 * Generated runs with one crack planted, by topology and severity, and healthy ones.
 *
 * The ranges were fixed before any detector was measured. `severities` are swept; `seeded` is the one that the source
 * describes. A healthy run has what healthy runs have: polls, pages, refusals, retries, gates that catch a stage,
 * plans that are made again, queues that drain.
 */
import type * as Topology from "@backstitch/contracts/Topology"
import type * as Crack from "@backstitch/topology/Crack"
import type { Transition } from "@backstitch/trace/Transition"
import { Recording, revised, textOf } from "./Recording.ts"

/** A topology with its planted crack, the severities of the sweep, and how runs of it are made. */
export interface Planted {
  readonly kind: Topology.TopologyKind
  readonly crack: Crack.CrackName
  readonly declared: Topology.Topology
  /** The unit of the severity. */
  readonly severity: string
  readonly severities: ReadonlyArray<number>
  readonly seeded: number
  readonly ill: (recording: Recording, severity: number) => void
  readonly healthy: (recording: Recording) => void
}

const declare = (kind: Topology.TopologyKind, more: Partial<Topology.Topology> = {}): Topology.Topology => ({
  kind,
  agents: {},
  order: [],
  ...more
})

const work = (run: Recording, calls: number): void => {
  for (let index = 0; index < calls; index++) {
    const params = { q: textOf(run, run.between(1, 4)), page: run.between(1, 9) }
    run.call(run.pick(["search", "read", "list", "fetch"]), params, { output: textOf(run, run.between(3, 30)) })
  }
}

const react: Planted = {
  kind: "react",
  crack: "runaway",
  declared: declare("react"),
  severity: "calls without anything new",
  severities: [2, 5, 8, 10, 12, 15, 20, 30, 40],
  seeded: 20,
  ill: (run, severity) => {
    work(run, run.between(0, 15))
    const words = textOf(run, 4)
    const answers = [[], "Error: timed out after 30 s", "no results", { items: [], took: "12 ms" }]
    const answer = run.pick(answers)
    const ok = run.happens(0.6)
    for (let index = 0; index <= severity; index++) {
      const q = run.happens(0.5) ? words : revised(run, words, 0.25)
      run.call("search", { q, page: run.between(1, 3) }, { ok, output: answer })
      if (run.happens(0.1)) run.call("think", { about: words }, { output: "ok" })
    }
  },
  healthy: (run) => {
    work(run, run.between(3, 30))
    if (run.happens(0.5)) {
      const id = run.between(1, 999)
      const polls = run.between(2, 8)
      for (let index = 0; index < polls; index++) run.call("status", { id }, { output: "pending" })
      run.call("status", { id }, { output: "done" })
    }
    if (run.happens(0.4)) {
      const params = { order: run.between(1, 999) }
      for (let index = run.between(1, 3); index > 0; index--) {
        run.call("pay", params, { ok: false, output: "card declined" })
      }
      run.call("pay", params, { output: `receipt ${run.between(1, 9999)}` })
    }
    if (run.happens(0.5)) {
      const q = textOf(run, 2)
      const pages = run.between(5, 40)
      for (let page = 1; page <= pages; page++) run.call("list", { q, page }, { output: textOf(run, 5) })
    }
    work(run, run.between(0, 10))
    run.finish()
  }
}

const silenceMillis = 30_000

const orchestrator: Planted = {
  kind: "orchestrator",
  crack: "lost_handoff",
  declared: declare("orchestrator", { silenceMillis }),
  severity: "silence ÷ deadline",
  severities: [0.25, 0.5, 0.9, 1, 1.1, 1.5, 2, 4],
  seeded: 1.5,
  ill: (run, severity) => {
    const tasks = run.between(2, 6)
    const lost = run.between(1, tasks)
    for (let task = 1; task <= tasks; task++) {
      run.note({ memo: "dispatch", task: `t${task}`, worker: `w${task}`, brief: textOf(run, 12) }, "boss")
    }
    for (let task = 1; task <= tasks; task++) {
      if (task === lost) continue
      run.wait(run.real(0, (0.8 * silenceMillis) / tasks))
      run.note({ memo: "report", task: `t${task}`, result: textOf(run, run.between(5, 40)) }, `w${task}`)
      run.note({ memo: "collect", task: `t${task}` }, "boss")
    }
    const spent = (run.transitions.at(-1)?.stamp.asOf ?? 0) - (run.transitions[0]?.stamp.asOf ?? 0)
    run.wait(Math.max(0, severity * silenceMillis - spent))
    run.call("clock", {}, { output: "later" }, "boss")
  },
  healthy: (run) => {
    for (let task = 1, tasks = run.between(2, 10); task <= tasks; task++) {
      const worker = `w${run.between(1, 4)}`
      run.note({ memo: "dispatch", task: `t${task}`, worker, brief: textOf(run, run.between(3, 20)) }, "boss")
      run.wait(run.real(0, 0.9 * silenceMillis))
      if (run.happens(0.3)) run.call("look", { q: textOf(run, 2) }, { output: textOf(run, 6) }, worker)
      run.note({ memo: "report", task: `t${task}`, result: textOf(run, run.between(2, 60)) }, worker)
      run.note({ memo: "collect", task: `t${task}` }, "boss")
    }
    run.finish("boss")
  }
}

const stages = (run: Recording, item: string, names: ReadonlyArray<string>): void => {
  for (const stage of names) {
    run.call(stage, { item }, { output: textOf(run, 8) }, stage)
    if (run.happens(0.1)) run.note({ memo: "gate", item, stage, green: false }, stage)
    run.note({ memo: "gate", item, stage, green: true }, stage)
  }
}

const row = (run: Recording): ReadonlyArray<string> => ["a", "b", "c", "d", "e", "f"].slice(0, run.between(2, 6))

const pipeline: Planted = {
  kind: "pipeline",
  crack: "cascading_poison",
  declared: declare("pipeline", { order: ["a", "b", "c", "d"] }),
  severity: "wrong items of ten",
  severities: [0, 1, 2, 4, 8, 10],
  seeded: 1,
  ill: (run, severity) => {
    const names = row(run)
    const wrong = Array.from({ length: 10 }, (_, index) => index < severity).sort(() => run.real(-1, 1))
    for (const [index, isWrong] of wrong.entries()) {
      const item = `i${index}`
      stages(run, item, names)
      run.note({ memo: "gate", item, stage: "whole", whole: true, green: !isWrong }, "judge")
    }
  },
  healthy: (run) => {
    const names = row(run)
    for (let index = 0, items = run.between(1, 12); index < items; index++) {
      const item = `i${index}`
      stages(run, item, names)
      // A gate catches a stage that is wrong, and the item ends there, red as a whole.
      if (run.happens(0.2)) {
        run.note({ memo: "gate", item, stage: names.at(-1)!, green: false }, names.at(-1)!)
        run.note({ memo: "gate", item, stage: "whole", whole: true, green: false }, "judge")
        continue
      }
      run.note({ memo: "gate", item, stage: "whole", whole: true, green: true, score: run.real(0.82, 0.98) }, "judge")
    }
  }
}

const absences: ReadonlyArray<(name: string) => string> = [
  () => "object not found",
  () => "404 Not Found",
  (name) => `ENOENT: no such file or directory, open '${name}'`,
  (name) => `${name} does not exist`,
  (name) => `cannot find ${name}`,
  (name) => `unknown id ${name}`,
  (name) => `Resource ${name} not found`,
  (name) => `${name} no longer exists`,
  () => "410 Gone",
  (name) => `${name} was deleted by another user`
]

const objectOf = (run: Recording): string =>
  run.pick([`HTL-${run.between(100, 999)}`, `src/file${run.between(1, 99)}.ts`, `ROOM_${run.between(1, 99)}`])

const planExecute: Planted = {
  kind: "plan_execute",
  crack: "stale_plan",
  declared: declare("plan_execute", { planMillis: 60_000 }),
  severity: "steps that do not find their object",
  severities: [0, 1, 2, 3, 5],
  seeded: 1,
  ill: (run, severity) => {
    const objects = Array.from({ length: run.between(5, 9) }, (_, index) => `${objectOf(run)}${index}`)
    run.call("list", {}, { output: objects.join(", ") }, "planner")
    run.note({ memo: "plan", steps: objects.map((each) => `book ${each}`) }, "planner")
    for (const [index, object] of objects.entries()) {
      const isGone = index < severity
      const output = isGone ? run.pick(absences)(object) : `booked ${run.between(1, 9999)}`
      run.call("book", { object }, { ok: !isGone, output }, "executor")
    }
  },
  healthy: (run) => {
    const objects = Array.from({ length: run.between(2, 8) }, (_, index) => `${objectOf(run)}${index}`)
    run.call("list", {}, { output: objects.join(", ") }, "planner")
    run.note({ memo: "plan", steps: objects.map((each) => `book ${each}`) }, "planner")
    for (const [index, object] of objects.entries()) {
      run.note({ memo: "step", step: index + 1, status: "begun" }, "executor")
      run.wait(run.real(0, 4000))
      const isRefused = run.happens(0.15)
      const output = isRefused ? run.pick(["fully booked", "price changed", "403 forbidden"]) : "booked"
      run.call("book", { object }, { ok: !isRefused, output }, "executor")
      run.note({ memo: "step", step: index + 1, status: isRefused ? "failed" : "done" }, "executor")
      // A failed step is answered by a new plan.
      if (isRefused) run.note({ memo: "plan", steps: [...objects] }, "planner")
    }
    if (run.happens(0.3)) {
      const [mine = ""] = objects
      run.call("delete", { object: mine }, { output: "done" }, "executor")
      run.call("read", { object: mine }, { ok: false, output: `${mine} not found` }, "executor")
    }
    run.finish("planner")
  }
}

const debate: Planted = {
  kind: "debate",
  crack: "deadlock",
  declared: declare("debate", { roundsMax: 3 }),
  severity: "share of the draft that each round still changes",
  severities: [0, 0.02, 0.05, 0.1, 0.2, 0.4, 0.8],
  seeded: 0.4,
  ill: (run, severity) => {
    let draft = textOf(run, run.between(20, 120))
    for (let round = 1, rounds = run.between(3, 5); round <= rounds; round++) {
      run.note({ memo: "round", round, draft }, "writer")
      draft = revised(run, draft, severity)
    }
  },
  healthy: (run) => {
    let draft = textOf(run, run.between(20, 120))
    let score = run.real(0.5, 0.7)
    const hasScores = run.happens(0.5)
    const change = run.real(0.1, 0.4)
    for (let round = 1; round <= 3; round++) {
      run.note({ memo: "round", round, draft, ...(hasScores ? { score } : {}) }, "writer")
      // The last round changes little, or nothing: the debate has converged.
      draft = revised(run, draft, round === 1 ? change : run.real(0, 0.03))
      score = Math.min(1, score + run.real(-0.05, 0.15))
    }
  }
}

const hierarchy: Planted = {
  kind: "hierarchical",
  crack: "root_bottleneck",
  declared: declare("hierarchical", { queueMax: 4 }),
  severity: "queue at the root ÷ its limit",
  severities: [0.5, 1, 1.5, 2, 3, 5],
  seeded: 2,
  ill: (run, severity) => {
    const leaves = run.between(4, 8)
    const queue = Math.round(severity * 4)
    let waiting = run.between(0, 1)
    while (waiting <= queue) {
      run.note({ memo: "load", waiting, idle: run.between(1, leaves) }, "root")
      waiting += run.between(1, 2)
      if (run.happens(0.15)) waiting = Math.max(0, waiting - 1)
    }
  },
  healthy: (run) => {
    const leaves = run.between(4, 8)
    let waiting = 0
    for (let index = 0; index < 25; index++) {
      const isBusy = waiting > 4
      run.note({ memo: "load", waiting, idle: isBusy ? 0 : run.between(0, leaves) }, "root")
      waiting = Math.max(0, waiting + run.between(-2, isBusy ? 1 : 2))
    }
  }
}

/** Every topology. */
export const all: ReadonlyArray<Planted> = [react, orchestrator, pipeline, planExecute, debate, hierarchy]

/** A run with a planted crack. */
export const ill = ({ ill }: Planted, severity: number, seed: number): ReadonlyArray<Transition> => {
  const recording = new Recording(seed)
  ill(recording, severity)
  return recording.transitions
}

/** A healthy run. */
export const healthy = ({ healthy }: Planted, seed: number): ReadonlyArray<Transition> => {
  const recording = new Recording(seed)
  healthy(recording)
  return recording.transitions
}
