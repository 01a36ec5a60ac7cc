/** A small contract and a bench on which the pure kernel is tried: no store, no tools, no time but the given one. */
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as RecordedRequest from "@backstitch/ledger/RecordedRequest"
import * as Fold from "@backstitch/reducer/Fold"
import * as PackRules from "@backstitch/reducer/PackRules"
import type { State } from "@backstitch/reducer/State"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import * as Canonical from "@backstitch/trace/Canonical"
import * as HashChain from "@backstitch/trace/HashChain"
import * as Run from "@backstitch/trace/Run"
import type { Draft, Sealed, Transition } from "@backstitch/trace/Transition"
import { assert } from "@effect/vitest"
import * as Result from "effect/Result"
import type { Command } from "../src/decision/Command.ts"
import * as Commit from "../src/decision/Commit.ts"
import type { Decided, Drafted, NextQuestion } from "../src/decision/Decision.ts"
import * as Decision from "../src/decision/Decision.ts"
import * as DecisionRules from "../src/decision/DecisionRules.ts"
import type { Evidence } from "../src/decision/Evidence.ts"
import type { Outcome } from "../src/decision/Outcome.ts"
import type { Proposal } from "../src/decision/Proposal.ts"
import type * as StoreQuery from "../src/decision/StoreQuery.ts"
import * as Kernel from "../src/Kernel.ts"
import * as Check from "../src/payload/Check.ts"
import * as ResumePlan from "../src/ResumePlan.ts"
import * as Resolution from "../src/resolution/Resolution.ts"
import type { DecisionTerms } from "../src/state/DecisionTerms.ts"
import type * as Goal from "../src/state/Goal.ts"
import * as LiftedRun from "../src/subtask/LiftedRun.ts"
import * as RunLift from "../src/subtask/RunLift.ts"
import * as SubtaskConsumers from "../src/subtask/SubtaskConsumers.ts"

export const definition = {
  pack: "acme.trips",
  version: "1.0.0",
  state: {
    world: { bookings: { table: { key: "id", row: { price: "int" } } }, spent: "int" },
    working: {
      notes: { list: "string" },
      plan: { type: "string", nullable: true },
      mad: "bool"
    }
  },
  specification: { max: { holds: "world.spent <= clause.max", value: "int", default: 200 } },
  transitions: { "goal.complete": { required_state: { "working.plan": "string" }, hash_seeds: ["working.plan"] } },
  tools: {
    look: { class: "read_only", input: { q: "string" } },
    weigh: { class: "read_only", input: {}, output: { grams: "int" } },
    book: {
      class: "high_risk_external",
      idempotency: "idempotent_write",
      input: { flight: "string", traveller: "string", price: "int" },
      target: "'seat/' + args.flight.upperAscii()",
      identity: { scope: "goal", fields: [{ flight: "code" }, { traveller: "name" }] },
      times: { sendWithin: "3s", settleAfter: "1s", keyRetention: "1h" },
      status: "by_key",
      readback: { source: "airline", expect: ["actual.price == args.price"], within: "2s" },
      undo: { class: "K", by: "unbook", with: { id: "actual.id" } },
      on_reconciled: [
        { put: { table: "world.bookings", key: "actual.id", row: { price: "actual.price" } } },
        { add: { field: "world.spent", value: "actual.price" } }
      ]
    },
    unbook: {
      class: "high_risk_external",
      idempotency: "idempotent_write",
      input: { id: "string" },
      target: "'booking/' + args.id",
      identity: { scope: "run", fields: [{ id: "exact" }] },
      times: { sendWithin: "3s", settleAfter: "1s", keyRetention: "1h" },
      status: "by_key",
      undo: "X"
    },
    // Honours keys, cannot be asked.
    tell: {
      class: "medium_risk_write",
      idempotency: "idempotent_write",
      input: { to: "string" },
      target: "'inbox/' + args.to",
      identity: { scope: "run", fields: [{ to: "email" }] },
      times: { sendWithin: "3s", keyRetention: "1h" },
      undo: "X"
    },
    // Neither honours keys nor can be asked.
    fax: {
      class: "medium_risk_write",
      idempotency: "effectful",
      input: { to: "string" },
      target: "'fax/' + args.to",
      identity: { scope: "run", fields: [{ to: "exact" }] },
      undo: "X"
    },
    refund: {
      class: "high_risk_external",
      input: { amount: "int" },
      target: "none",
      identity: { scope: "tenant", fields: [{ amount: "integer" }] },
      times: { sendWithin: "3s", settleAfter: "1s", keyRetention: "1h" },
      status: "by_key",
      undo: "X"
    }
  },
  reducers: {
    on: {
      "observation.add": [{ append: { list: "working.notes", item: "args.text" } }],
      "plan.update": [
        { set: { field: "working.plan", value: "args.plan" } },
        { set: { field: "working.mad", value: "args.plan == 'mad'" } }
      ],
      look: [{ append: { list: "working.notes", item: "observed.found" } }]
    }
  },
  guards: [{ id: "cheap", on: "book", refuse_if: "args.price > 100" }],
  violations: [
    { id: "over", when: "world.spent > clause.max" },
    // biome-ignore lint/suspicious/noThenProperty: the word of the contract
    { id: "mad", when: "working.mad", then: "halt_mutations" }
  ],
  approvals: { refund: { when: "args.amount > 50", by: ["manager"] } },
  budgets: { steps: 40 }
} as const

export type Definition = Parameters<typeof TaskPack.make>[0]

/** The steps and ends that each way to resume comes to, beside a wait. */
const ways: { readonly [R in ResumePlan.ResumeWay]: ReadonlyArray<string> } = {
  ask_or_hold: ["Ask"],
  ask_then_resume: ["Ask", "ReadOriginal"],
  hold: ["Held"],
  hold_then_compensate: ["Held"],
  read_or_hold: ["ReadBack"],
  restart: ["Refused"],
  resume: ["Call", "Compensate", "Complete", "Done", "Failed", "ReadBack", "ReadBefore"],
  resume_with_key: ["Call", "ReadBefore"]
}

const packs = new Map<string, TaskPack.TaskPack>()

/** A pack is read once, however many benches have it: to read it took longer than what was tried. */
const packOf = (changes: Partial<Definition> | undefined): TaskPack.TaskPack => {
  const key = JSON.stringify(changes ?? {}, (_, value) => (typeof value === "function" ? String(value) : value))
  const known = packs.get(key) ?? Result.getOrThrow(TaskPack.make({ ...definition, ...changes }))
  if (packs.size === 256) packs.clear()
  packs.set(key, known)
  return known
}

/** A run on the bench: decisions are pure, so each is made twice and compared. */
export class Bench {
  now = 1_000_000
  /** A recovery table that is tried. */
  recovery: DecisionTerms["recovery"]
  /** The turns of acts that other runs hold. */
  turns: DecisionTerms["turns"]
  readonly run: Run.Run
  readonly pack: TaskPack.TaskPack
  readonly fold: Fold.Fold
  readonly transitions: Array<Transition> = []
  readonly sealed: Array<Sealed> = []
  at: Commit.Position
  #lineage: string

  constructor(
    options: {
      readonly changes?: Partial<Definition>
      readonly run?: string
      readonly goal?: string
      readonly ontology?: number
      readonly follows?: ReadonlyArray<Goal.FollowedRun> | undefined
    } = {}
  ) {
    this.run = Run.make(options.run ?? "trip")
    this.#lineage = this.run.id
    this.pack = packOf(options.changes)
    this.fold = Fold.make({
      parts: Kernel.standard.parts,
      sources: { rules: () => PackRules.of(this.pack) }
    })
    this.at = { head: HashChain.genesis(this.run), state: { world: {}, working: {}, kernel: {} }, asOf: 0 }
    this.does({
      _tag: "Start",
      goal: options.goal ?? "goal",
      text: "a trip",
      clauses: { max: 200 },
      pack: this.pack.digest,
      initial: Fold.initialDigest(PackRules.of(this.pack).initial),
      fold: this.fold.version,
      ontology: options.ontology,
      follows: options.follows,
      rules: DecisionRules.standard.version
    })
  }

  get state(): State {
    return this.at.state
  }

  get terms(): DecisionTerms {
    const { now, pack, recovery, run, turns } = this
    return { run, lineage: this.#lineage, now, tick: this.at.head.tick + 1, secret: "secret", pack, recovery, turns }
  }

  /** Decides, and decides again: the kernel has nothing else to go by. */
  decides(command: Command): Decided {
    const first = Kernel.decide(this.terms, this.state, command)
    assert.deepStrictEqual(Kernel.decide(this.terms, this.state, command), first)
    if (first.next._tag === "Look") {
      return this.decides(Decision.withAnswer(first.next, this.sees(first.next.look)))
    }
    if (command._tag === "Recover") this.#isPlanned(command.action, first)
    return first
  }

  /** A plan says before each recovery what it then comes to. */
  #isPlanned(action: string, { next }: Decided): void {
    const step = ResumePlan.plan(this.terms, this.state).find((each) => each.action === action)
    if (step === undefined) return
    const found = next._tag === "End" ? next.outcome._tag : next._tag
    const { because, recovery } = step
    const expected =
      because === "transaction" || because === "frozen" ? [...ways[recovery], "ReadBack"] : ways[recovery]
    assert.include(["Wait", ...expected], found, JSON.stringify(step))
  }

  /** Answers a query: only this run is there, which shares its history with nobody. */
  sees(look: StoreQuery.StoreQuery): StoreQuery.QueryAnswer {
    switch (look._tag) {
      case "Trace": {
        const { from, run, to = Number.POSITIVE_INFINITY } = look
        return run === this.run.id ? this.transitions.filter(({ tick }) => from <= tick && tick <= to) : []
      }
      case "State":
        return this.transitions
          .filter(({ tick }) => tick <= look.tick)
          .reduce<State>((state, each) => this.fold.evolve(state, each), { world: {}, working: {}, kernel: {} })
      case "Shared":
        return []
      case "Consumers":
        return this.#consumers(look.scopes)
      default:
        return false
    }
  }

  #consumers(scopes: ReadonlyArray<string>) {
    const lift = LiftedRun.make(this.pack)
    if (lift === undefined) return []
    this.transitions.reduce<State>(
      (before, transition) => {
        const after = this.fold.evolve(before, transition)
        RunLift.follow(lift, { before, transition, after })
        return after
      },
      { world: {}, working: {}, kernel: {} }
    )
    return SubtaskConsumers.of(lift, scopes)
  }

  /** Decides and commits at once, whether or not it could wait. */
  does(command: Command): Decided {
    const decision = this.decides(command)
    this.commits(decision.drafts)
    return decision
  }

  commits(drafts: ReadonlyArray<Draft>): ReadonlyArray<Transition> {
    if (drafts.length === 0) return []
    const commit = Commit.assemble(this.fold, { run: this.run, at: this.at, drafts })
    this.at = commit.position
    this.transitions.push(...commit.transitions)
    this.sealed.push(...commit.sealed)
    return commit.transitions
  }

  proposes(proposal: Proposal): Decided {
    return this.does({ _tag: Resolution.isResolution(proposal) ? "Resolve" : "Propose", proposal })
  }

  answers(action: string, evidence: Evidence, via: "call" | "status" = "call"): Decided {
    return this.does({ _tag: "Answered", action, via, evidence })
  }

  readsBack(action: string, evidence: Evidence): Decided {
    return this.does({ _tag: "ReadBack", action, evidence })
  }

  /** Books as far as it goes when everybody answers. */
  books(flight: string, price = 80): Outcome {
    const action = call(this.proposes(bookOf(flight, price))).action
    this.answers(action, { _tag: "Ok", output: { id: flight } })
    return outcome(this.readsBack(action, { _tag: "Ok", output: { id: flight, price } }))
  }

  /** Types committed since a tick, without the reviews that the depth table asks for, which have their own test. */
  types(after = 0): ReadonlyArray<string> {
    return this.transitions.filter((each) => each.tick > after && !isLookedAt(each)).map(({ body }) => body.type)
  }

  get last(): Transition {
    return this.transitions.findLast((each) => !isLookedAt(each))!
  }

  /** The outcome of the last readback. */
  get verdict(): Transition["body"]["result"] {
    return this.transitions.findLast(({ body }) => body.type === "action.verified")?.body.result
  }

  /** Goes on with an undoing: what is to be undone next shows as it did, unless its own record shows something else. */
  compensates(evidence?: Evidence, askedAt?: number): Drafted {
    return this.looks(this.does({ _tag: "Compensate" }), evidence, askedAt)
  }

  /** Asks about what is to be undone, if that is what a decision wants. */
  looks(decision: Drafted, evidence?: Evidence, askedAt?: number): Drafted {
    const { next } = decision
    if (next._tag !== "ReadOriginal") return decision
    const { action, via } = next.original
    const own = RecordedRequest.of(this.transitions, action)!
    const shown: Evidence = evidence ?? { _tag: "Ok", output: this.#shownOf(action) }
    const original = { ...own, via, evidence: shown, ...(askedAt === undefined ? {} : { askedAt }) }
    const decided = this.does({ _tag: "Compensate", original })
    return this.#isOwned(decided) ? this.looks(this.#owned(decided), evidence, askedAt) : decided
  }

  /** Tells whether the owner of an effect is asked about that is to be undone, beside its record. */
  #isOwned({ next }: Drafted): boolean {
    return next._tag === "ReadOriginal" && next.original.via === "status"
  }

  /** The key of what is to be undone is known: it is its own effect. What its record shows is asked last. */
  #owned({ next }: Drafted): Drafted {
    if (next._tag !== "ReadOriginal") throw new Error(`nothing is asked: ${next._tag}`)
    const own = RecordedRequest.of(this.transitions, next.original.action)!
    const original = { ...own, via: "status", evidence: ok(own.observed ?? {}) } as const
    return this.does({ _tag: "Compensate", original })
  }

  /** The last record of an action before it was to be undone. */
  #shownOf(action: string): Json {
    const read = this.transitions.findLast(
      ({ body }) =>
        body.type === "action.verified" && body.action?.id === action && body.data?.["undoing"] === undefined
    )
    return read?.body.result?.output ?? RecordedRequest.of(this.transitions, action)?.observed ?? {}
  }

  /** A person has what is frozen verified again. */
  reopens(action: string): Decided {
    const data = { action, as: "reopened", by: "Ada", evidence: "looked at" }
    return this.proposes({ type: "review.decided", author: "user", data })
  }
}

const isLookedAt = ({ body }: Transition): boolean =>
  body.type === "review.requested" && body.data?.["subject"] === "verification"

export const bookOf = (flight: string, price = 80, more: JsonObject = {}): Proposal => ({
  tool: "book",
  params: { flight, traveller: "Ada", price, ...more }
})

export const ok = (output: Json): Evidence => ({ _tag: "Ok", output })

/** The outcome of a decision that ends. */
export const outcome = ({ next }: Pick<Decided, "next">): Outcome => {
  if (next._tag !== "End") return assert.fail(`expected an end, found ${next._tag}`)
  return next.outcome
}

/** The outcome of a decision that ends in one way. */
/** The findings of a refusal, a hold or a failure, with their arguments as text, to look for some of them. */
export const told = (outcome: Outcome): string => {
  switch (outcome._tag) {
    case "Done":
      return ""
    case "Refused":
      return Canonical.encode(Check.failing(outcome.checks).map((check) => Check.findingOf(check) ?? null))
    case "Failed":
      return Canonical.encode(outcome.error)
    default:
      return Canonical.encode(outcome.why)
  }
}

/** Why somebody wants something undone. */
export const wish = (reason: string) => ({ args: { reason }, code: "cause.asked" })

export const ends = <Tag extends Outcome["_tag"]>(
  decision: Pick<Decided, "next">,
  tag: Tag
): Extract<Outcome, { _tag: Tag }> => {
  const found = outcome(decision)
  assert.strictEqual(found._tag, tag, JSON.stringify(found))
  return found as Extract<Outcome, { _tag: Tag }>
}

/** The request of a decision that asks the world. */
export const asks = (
  decision: Pick<Decided, "next">,
  tag: Exclude<
    NextQuestion["_tag"],
    "Again" | "Await" | "Compensate" | "Complete" | "End" | "Look" | "ReadOriginal" | "Wait"
  >
) => {
  const { next } = decision
  if (next._tag !== tag) return assert.fail(`expected ${tag}, found ${JSON.stringify(next)}`)
  return (next as Extract<NextQuestion, { _tag: "Call" }>).request
}

export const call = (decision: Pick<Decided, "next">) => asks(decision, "Call")

/** The checks that failed, as `step id`. */
export const failing = (decision: Pick<Decided, "next">): ReadonlyArray<string> =>
  Check.failing(ends(decision, "Refused").checks).map(({ id, step }) => `${step} ${id}`)
