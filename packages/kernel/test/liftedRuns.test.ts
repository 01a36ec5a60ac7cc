import type * as Checkpoint from "@backstitch/admissibility/Checkpoint"
import type { Entry } from "@backstitch/admissibility/Entry"
import * as RecoveryPolicy from "@backstitch/admissibility/RecoveryPolicy"
import * as RollbackAdmission from "@backstitch/admissibility/RollbackAdmission"
import * as SettledActions from "@backstitch/ledger/SettledActions"
import * as State from "@backstitch/reducer/State"
import * as Canonical from "@backstitch/trace/Canonical"
import type { Transition } from "@backstitch/trace/Transition"
import type * as Step from "@backstitch/version-control/Step"
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { effect, erased, step, unsupported } from "../../admissibility/test/lab.ts"
import * as LiftedRun from "../src/subtask/LiftedRun.ts"
import * as RunLift from "../src/subtask/RunLift.ts"
import { Bench, bookOf, call, type Definition, definition, ok } from "./lab.ts"

const legs = ["LX1", "LX2", "LX3"] as const
const Leg = Schema.Literals(legs)

/** Legs are looked up and booked, weighed together, or changed by no tool; an agent that has weighed looks anew. */
const changes = (effects: "compensate" | "forbid" | "rollback"): Partial<Definition> => ({
  state: {
    ...definition.state,
    working: { ...definition.state.working, legs: { table: { key: "q", row: "string" } } }
  },
  tools: {
    ...definition.tools,
    book: {
      ...definition.tools.book,
      reads: ["working.legs[args.flight]"],
      on_reconciled: [definition.tools.book.on_reconciled[0]]
    },
    weigh: { class: "read_only", input: {}, output: { grams: "int" }, reads: ["working.legs"] }
  },
  reducers: {
    on: {
      look: [{ put: { table: "working.legs", key: "args.q", row: "observed.found" } }],
      "plan.update": [{ put: { table: "working.legs", key: "args.leg", row: "args.at" } }]
    }
  },
  machine: {
    initial: "open",
    states: ["open", "found", "done"],
    edges: [
      { from: "open", tool: "look", to: "found" },
      { from: "done", tool: "look", to: "found" },
      { from: "found", tool: "book", to: "open" },
      { from: "found", tool: "weigh", to: "done" }
    ]
  },
  skeletons: {
    leg: {
      tools: ["look", "book"],
      states: ["open", "found"],
      entry: ["open"],
      entity: "'q' in args ? args.q : args.flight",
      outputs: ["working.legs[entity]"],
      commit: "to == 'found'",
      exit: "tool == 'book' && to == 'open'",
      effects
    },
    weighing: { tools: ["weigh"], states: ["found", "done"], inputs: ["working.legs"], commit: "to == 'done'" }
  },
  guards: [],
  budgets: { steps: 400 }
})

const Move = Schema.Union([
  Schema.Struct({ does: Schema.Literals(["look", "ask", "book", "decline", "begin", "change"]), leg: Leg }),
  Schema.Struct({ does: Schema.Literals(["answer", "weigh", "hang"]) })
])

const Moves = Schema.Struct({
  effects: Schema.Literals(["compensate", "forbid", "rollback"]),
  moves: Schema.Array(Move).check(Schema.isMaxLength(14))
})

const run = ({ effects, moves }: typeof Moves.Type): Bench => {
  const bench = new Bench({ changes: changes(effects) })
  const asked: Array<string> = []
  const answered = (action: string): void => void bench.answers(action, ok({ found: `seat ${bench.at.head.tick}` }))
  const begun = (leg: string): string | undefined => {
    const { next } = bench.proposes(bookOf(leg, 10))
    return "request" in next ? next.request.action : undefined
  }
  for (const move of moves) {
    switch (move.does) {
      case "look":
        answered(call(bench.proposes({ tool: "look", params: { q: move.leg } })).action)
        break
      case "ask":
        asked.push(call(bench.proposes({ tool: "look", params: { q: move.leg } })).action)
        break
      case "answer": {
        const first = asked.shift()
        if (first !== undefined) answered(first)
        break
      }
      case "hang":
        call(bench.proposes({ tool: "weigh", params: {} }))
        break
      case "weigh":
        bench.answers(call(bench.proposes({ tool: "weigh", params: {} })).action, ok({ grams: 1 }))
        break
      case "change":
        bench.proposes({ type: "plan.update", data: { leg: move.leg, at: `seat ${bench.at.head.tick}` } })
        break
      default: {
        const action = begun(move.leg)
        if (action === undefined || move.does === "begin") break
        if (move.does === "decline") {
          bench.answers(action, { _tag: "Error", error: "declined" })
          break
        }
        bench.answers(action, ok({ id: move.leg }))
        bench.readsBack(action, ok({ id: move.leg, price: 10 }))
      }
    }
  }
  return bench
}

/** The keys of a section as plain names: each row of a table is one, and so is any other field. */
const keysOf = (section: State.Section, name: string): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(State.sectionToJson(section)).flatMap(([field, value]) =>
      Canonical.isObject(value)
        ? Object.entries(value).map(
            ([row, each]) => [`${name}.${field}/${row}`, Canonical.encode(each ?? null)] as const
          )
        : [[`${name}.${field}`, Canonical.encode(value ?? null)] as const]
    )
  )

const changed = (before: State.State, after: State.State): ReadonlyArray<string> =>
  (["world", "working"] as const).flatMap((name) => {
    const [was, is] = [keysOf(before[name], name), keysOf(after[name], name)]
    return [...new Set([...was.keys(), ...is.keys()])].filter((key) => was.get(key) !== is.get(key))
  })

/** The doing of one call of a tool, or of a change by none: found in the transitions alone. */
interface Doing {
  readonly action: string | undefined
  readonly reads: ReadonlyArray<string>
  readonly requested: number
  begun: boolean
  finished: number | undefined
  end: "failed" | "open" | "stands"
  readonly isEffect: boolean
  readonly writes: Set<string>
}

const everyLeg = legs.map((leg) => `working.legs/${leg}`)

const doingsOf = (steps: ReadonlyArray<Step.Step>): ReadonlyArray<Doing> => {
  const calls = new Map<string, Doing>()
  const others: Array<Doing> = []
  for (const { after, before, transition } of steps) {
    const { body, tick } = transition
    const { action } = body
    const writes = changed(before, after)
    if (body.type === "action.request" && action?.tool !== undefined) calls.set(action.id, doing(transition))
    const own = calls.get(action?.id ?? "")
    if (own === undefined) {
      if (writes.length > 0 && tick > 1)
        others.push({ ...doing(transition), action: undefined, finished: tick, writes: new Set(writes) })
      continue
    }
    for (const key of writes) own.writes.add(key)
    if (body.type === "action.started") own.begun = true
    if (body.type === (own.isEffect ? "action.reconciled" : "action.result")) {
      const isDone = body.result?.status === "ok"
      own.end = isDone ? "stands" : "failed"
      if (isDone) own.finished = tick
    }
  }
  return [...calls.values(), ...others]
}

const doing = ({ body: { action }, tick }: Transition): Doing => {
  const isEffect = action?.tool === "book"
  const flight = String(Canonical.objectOf(action?.params)["flight"])
  return {
    action: action?.id,
    reads: action?.tool === "weigh" ? everyLeg : isEffect ? [`working.legs/${flight}`] : [],
    requested: tick,
    begun: !isEffect,
    finished: undefined,
    end: "open",
    isEffect,
    writes: new Set()
  }
}

type Owner = (doing: Doing) => Entry | undefined

/** The verdict on a checkpoint, by looking at every pair of doings: slow, and conservative as the contract is read. */
const verdict = (
  doings: ReadonlyArray<Doing>,
  ownerOf: Owner,
  { entry, tick, effects }: { readonly entry: Entry; readonly tick: number; readonly effects: string }
): ReadonlyArray<string> => {
  const own = doings.filter((each) => ownerOf(each) === entry)
  const found = new Set<string>()
  const later = doings.filter((each) => ownerOf(each) !== entry && each.begun)
  const undoes = own.some(({ end, isEffect, requested }) => isEffect && end === "stands" && requested > tick)
  for (const { finished = 0, writes } of own) {
    if (finished <= (undoes ? 0 : tick)) continue
    for (const key of writes) {
      for (const other of later) {
        const owner = ownerOf(other)
        const isGone = finished > tick
        if (isGone && (other.finished ?? 0) > tick && other.writes.has(key)) found.add("overwritten_since")
        if (!other.reads.includes(key) || (other.finished ?? other.requested) <= finished) continue
        found.add(owner?.phase === "open" ? "open_consumers_present" : "committed_consumers_present")
      }
    }
  }
  for (const { begun, end, isEffect, requested } of own) {
    if (!isEffect || !begun || requested <= tick || end === "failed") continue
    if (end === "open") found.add("effect_unsettled")
    else if (effects !== "compensate") found.add("irreversible_effect_policy")
  }
  return [...found].sort()
}

const options = { policy: RecoveryPolicy.policies.exit, now: 1_000_000 }

const lifted = (bench: Bench) => {
  const self = LiftedRun.make(bench.pack)!
  let state: State.State = { world: {}, working: {}, kernel: {} }
  const steps = bench.transitions.map((transition): Step.Step => {
    const before = state
    state = bench.fold.evolve(before, transition)
    return { before, transition, after: state }
  })
  for (const each of steps) RunLift.follow(self, each)
  const doings = doingsOf(steps)
  const ownerOf: Owner = ({ action = "" }) => self.calls.get(action)?.members[0]?.entry
  return { self, doings, ownerOf }
}

const every = (self: LiftedRun.LiftedRun): ReadonlyArray<readonly [Entry, Checkpoint.Checkpoint]> =>
  [...self.registry.entries.values()].flatMap((entry) => entry.checkpoints.map((each) => [entry, each] as const))

const isJudgedAsSlowly = (moves: typeof Moves.Type): void => {
  const { doings, ownerOf, self } = lifted(run(moves))
  for (const [entry, checkpoint] of every(self)) {
    const codes = RollbackAdmission.judge(self.registry, entry, checkpoint, options).map(({ code }) => code)
    const about = { entry, tick: checkpoint.tick, effects: moves.effects }
    assert.deepStrictEqual([...codes].sort(), verdict(doings, ownerOf, about))
  }
}

describe("a generated run that is lifted", () => {
  it.prop(
    "has each checkpoint judged as by a slow look at every pair of its calls (L10)",
    [Moves],
    ([moves]) => isJudgedAsSlowly(moves),
    { arbitrary: { runs: 300 } }
  )

  it("gives a late answer to the instance that asked, although that one has exited since (L10)", () => {
    const leg = "LX1"
    const moves = [{ does: "ask", leg }, { does: "look", leg }, { does: "book", leg }, { does: "answer" }] as const
    isJudgedAsSlowly({ effects: "compensate", moves })
    const { self } = lifted(run({ effects: "compensate", moves }))
    assert.deepStrictEqual([...self.registry.entries.keys()].length, 1)
  })

  it.prop(
    "leaves nobody without the version that it read, and erases no work of others, where a restore is admitted (L10)",
    [Moves],
    ([moves]) => {
      const bench = run(moves)
      const { doings, ownerOf, self } = lifted(bench)
      const steps = doings
        .flatMap((each) => (each.finished === undefined ? [] : [{ ...each, tick: each.finished }]))
        .sort((left, right) => left.tick - right.tick)
        .map(({ action = "", isEffect, reads, tick, writes }) => {
          const made = isEffect ? { effect: effect(action) } : {}
          return step(tick, "leg", { reads, writes: [...writes], ...made })
        })
      for (const entry of self.registry.entries.values()) {
        const decided = RollbackAdmission.restore(self.registry, entry, options)
        if (decided._tag === "Blocked") continue
        const { checkpoint } = decided
        assert.deepStrictEqual([...unsupported(self.registry, steps, new Map([[entry, checkpoint]]))], [])
        assert.deepStrictEqual(erased(self.registry, steps, entry, checkpoint), [])
        const standing = SettledActions.inOrder(bench.state).filter(([action, { undo }]) => {
          const made = doings.find((each) => each.action === action)
          const isLater = made !== undefined && made.requested > checkpoint.tick && ownerOf(made) === entry
          return undo === "standing" && isLater
        })
        assert.sameMembers(
          decided.owes.map(({ action }) => action),
          standing.map(([action]) => action)
        )
      }
    },
    { arbitrary: { runs: 300 } }
  )
})
