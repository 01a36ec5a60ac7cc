/**
 * The pure function from a state and a transition to the next state.
 *
 * A fold is composed of parts, which make up the `kernel` section, and of the rules of the pack in force, which
 * change `world` and `working` and set latches. It has no clock, no store and no randomness. The same transitions
 * under the same packs give the same state everywhere (L2) and at any time: a run is folded with the parts that it
 * pins, even if later versions have others. A run that pins an unknown part of an embedder is folded without it, and
 * {@link Fold.lacks} names the part.
 *
 * @source Dendrer, sections 3.1–3.3
 */
import * as Expression from "@backstitch/expressions/Expression"
import * as Digest from "@backstitch/trace/Digest"
import * as Ontology from "@backstitch/trace/Ontology"
import * as Table from "@backstitch/trace/Table"
import type { Transition } from "@backstitch/trace/Transition"
import * as Schema from "effect/Schema"
import * as Rules from "../pack/Rules.ts"
import * as Anomalies from "../parts/Anomalies.ts"
import * as Latch from "../parts/Latch.ts"
import * as PackInForce from "../parts/PackInForce.ts"
import * as PolicyFlips from "../parts/PolicyFlips.ts"
import * as Scopes from "../parts/Scopes.ts"
import * as WorkingPatch from "../parts/WorkingPatch.ts"
import * as Part from "../state/Part.ts"
import * as Payload from "../state/Payload.ts"
import * as Snapshot from "../state/Snapshot.ts"
import type * as State from "../state/State.ts"

/** Content from outside the trace that a fold reads by its digest, so that it is always the same. */
export interface Sources {
  /** Rules of a pack, with the extensions in force, for the engine of the run. */
  readonly rules: (
    pack: string,
    extensions: PackInForce.PackInForce["extensions"],
    engine: string
  ) => Rules.Rules | undefined
  /** Sections of an initial state that is not the pack's own. */
  readonly initial?: (digest: string) => Rules.Sections | undefined
}

/** A fold of named, versioned parts. */
export interface Fold {
  /** The names and versions of its parts, as pinned in `run.started`. */
  readonly version: string
  readonly parts: ReadonlyArray<Part.Any>
  readonly evolve: (state: State.State, transition: Transition) => State.State
  /** Parts of embedders that a run pins and this fold does not have. It folds without them. */
  readonly lacks: (state: State.State) => ReadonlyArray<string>
  /** The rules in force at a tick. */
  readonly rulesAt: (state: State.State, tick: number) => Rules.Rules
}

/**
 * Error for a trace that names an unavailable pack, initial state, engine or fold part. A part is named by its pin
 * and an engine by its name; the others by digest.
 */
export class SourceMissing extends Schema.TaggedError<SourceMissing>("@backstitch/reducer/SourceMissing")(
  "SourceMissing",
  {
    kind: Schema.Literals(["engine", "pack", "initial state", "ontology", "part", "type"]),
    digest: Schema.String,
    tick: Schema.Natural,
    /** `true` if the store has another text under its name. */
    isAltered: Schema.optionalKey(Schema.Boolean)
  }
) {
  override get message(): string {
    if (this.kind === "ontology" || this.kind === "type") {
      const needed =
        this.kind === "type" ? `is of the type ${this.digest}` : `begins a run of the ontology ${this.digest}`
      return (
        `Tick ${this.tick} ${needed}, and this version has the ontology ${Ontology.version}. ` +
        "Read it with a newer version: nobody folds what they do not understand"
      )
    }
    if (this.kind === "engine") {
      return (
        `Expressions of the trace mean what the engine ${JSON.stringify(this.digest)} says they do, ` +
        `and at tick ${this.tick} this version has ${Expression.engines.join(", ")}. Read it with the version that has it`
      )
    }
    if (this.kind === "part" && this.digest === "") {
      return (
        `The trace pins a part without a name from tick ${this.tick} on: no version has one, so nobody can fold it. ` +
        "Take the trace from where it was written"
      )
    }
    if (this.kind === "part") {
      return (
        `The trace is folded with the part ${this.digest} from tick ${this.tick} on, and it is not here. ` +
        "Read it with the version that has it, or with a kernel that adds it"
      )
    }
    const found = this.isAltered === true ? "its text in this store was altered" : "that is not in this store"
    return (
      `Tick ${this.tick} is bound by the ${this.kind} ${this.digest.slice(0, 12)}…, and ${found}. ` +
      "Import it together with the trace: exports carry their packs and states"
    )
  }
}

/** The parts that every fold has: contract, anomalies and policy flips. */
export const base: ReadonlyArray<Part.Any> = [PackInForce.part, Anomalies.part, PolicyFlips.part]

/** Error for two parts of one name, which would share one state. */
export class PartDoubled extends Schema.TaggedError<PartDoubled>("@backstitch/reducer/PartDoubled")("PartDoubled", {
  part: Schema.String
}) {
  override get message(): string {
    return `A fold has two parts with the name ${JSON.stringify(this.part)}. Give each a name of its own, or leave one out`
  }
}

/**
 * Makes a fold from the parts that new runs pin. `earlier` are sets that stored runs pin. Throws {@link PartDoubled}.
 */
export const make = (options: {
  readonly parts: ReadonlyArray<Part.Any>
  readonly earlier?: ReadonlyArray<ReadonlyArray<Part.Any>> | undefined
  readonly sources: Sources
}): Fold => {
  const { earlier = [], parts, sources } = options
  for (const set of [parts, ...earlier]) {
    const doubled = set.find(({ name }, index) => set.findIndex((each) => each.name === name) !== index)
    if (doubled !== undefined) throw new PartDoubled({ part: doubled.name })
  }
  const atHand = new Map([...earlier.flat(), ...parts].map((part) => [Part.pin(part), part]))
  const evolveKernel = pinning(parts, atHand)
  const lacked = new Map<string, ReadonlyArray<string>>()
  const binding = new WeakMap<
    PackInForce.PackInForce,
    { readonly from: number; readonly to: number; rules: Rules.Rules }
  >()

  const rulesAt = (state: State.State, tick: number): Rules.Rules => {
    const contract = PackInForce.of(state)
    understood(contract, tick)
    if (contract.pack === "") return Rules.none
    const known = binding.get(contract)
    if (known !== undefined && known.from <= tick && tick < known.to) return known.rules
    const engine = PackInForce.engineOf(contract)
    if (!Expression.engines.includes(engine)) throw new SourceMissing({ kind: "engine", digest: engine, tick })
    const rules = sources.rules(contract.pack, PackInForce.bindingAt(contract, tick), engine)
    if (rules === undefined) throw new SourceMissing({ kind: "pack", digest: contract.pack, tick })
    const changes = contract.extensions.map((extension) => extension.effective_from_tick)
    binding.set(contract, {
      from: Math.max(0, ...changes.filter((change) => change <= tick)),
      to: Math.min(Number.POSITIVE_INFINITY, ...changes.filter((change) => change > tick)),
      rules
    })
    return rules
  }

  const initialOf = (transition: Transition, rules: Rules.Rules): Rules.Sections => {
    const digest = Payload.of(transition.body, "run.started")?.initial
    if (digest === undefined || digest === initialDigest(rules.initial)) return rules.initial
    const sections = sources.initial?.(digest)
    if (sections === undefined) throw new SourceMissing({ kind: "initial state", digest, tick: transition.tick })
    return sections
  }

  const evolve = (before: State.State, transition: Transition): State.State => {
    const kernel = evolveKernel(before, transition)
    if (before.kernel["contract"] === undefined && kernel["contract"] === undefined) {
      return kernel === before.kernel ? before : { world: before.world, working: before.working, kernel }
    }
    const bound = { world: before.world, working: before.working, kernel }
    const rules = rulesAt(bound, transition.tick)
    const { type } = transition.body
    const reduced =
      type === "run.started"
        ? initialOf(transition, rules)
        : type === "run.fork" || type === "run.migrated"
          ? completed(before, rules)
          : applied(rules, before, transition)
    const sections = restored(before, reduced ?? before, transition)
    const known = scoped(before, sections, { kernel, transition })
    const changed = known !== before.kernel || sections.world !== before.world || sections.working !== before.working
    const next = changed ? { world: sections.world, working: sections.working, kernel: known } : before
    const tool = toolOf(before, transition)
    const after = reduced === undefined ? failed(next, tool ?? type, transition.tick) : next
    if (rules.predicates.length === 0) return after
    const renewed = isRenewed(before, bound, transition.tick)
    const step =
      tool === undefined ? { before, after, transition, renewed } : { before, after, transition, renewed, tool }
    const latches = Latch.evolve(rules.predicates, step)
    return latches === Latch.of(after) ? after : { ...after, kernel: { ...after.kernel, [Latch.part]: latches } }
  }

  const lacks = (state: State.State): ReadonlyArray<string> => {
    const { fold = "" } = PackInForce.of(state)
    if (fold === "") return []
    const known = lacked.get(fold) ?? lacking(atHand, fold)
    lacked.set(fold, known)
    return known
  }

  return { version: pinsOf(parts), parts, evolve, lacks, rulesAt }
}

/** Folds transitions, in order, from a state. */
export const run = (fold: Fold, from: State.State, transitions: Iterable<Transition>): State.State => {
  let state = from
  for (const transition of transitions) state = fold.evolve(state, transition)
  return state
}

/** Refuses a run that was written under a newer ontology. Throws {@link SourceMissing}. */
export const understood = ({ ontology = Ontology.version }: PackInForce.PackInForce, tick: number): void => {
  if (ontology > Ontology.version) throw new SourceMissing({ kind: "ontology", digest: String(ontology), tick })
}

/**
 * Tells whether a run that pins these parts can continue under a fold: the fold has each of them in the same version.
 * Parts that were added since are absent from such a run.
 */
export const continues = (fold: Fold, pins: string): boolean => {
  const own = new Set(fold.parts.map(Part.pin))
  return pins.split(" ").every((pin) => own.has(pin))
}

/** Digest of the sections in which a run begins, as pinned in `run.started`: the digest of their manifest. */
export const initialDigest = (sections: Rules.Sections): Digest.Digest => {
  const known = initials.get(sections)
  if (known !== undefined) return known
  const { working, world } = sections
  const digest = Digest.ofText("backstitch.initial.1", Snapshot.manifest({ working, world }))
  initials.set(sections, digest)
  return digest
}

/** The tool of a transition: its own, or that of the open action that it continues. */
export const toolOf = (before: State.State, { body }: Transition): string | undefined => {
  if (body.action === undefined) return undefined
  if (body.action.tool !== undefined) return body.action.tool
  const open = before.kernel["actions"] as { readonly [id: string]: { readonly tool?: string } | undefined } | undefined
  return open?.[body.action.id]?.tool
}

/** A new pack finds its fields in the state: missing ones begin as the new pack declares. */
const completed = (before: State.State, { initial }: Rules.Rules): Rules.Sections => {
  const add = (have: State.Section, declared: State.Section): State.Section =>
    Object.keys(declared).every((name) => have[name] !== undefined) ? have : { ...declared, ...have }
  return { world: add(before.world, initial.world), working: add(before.working, initial.working) }
}

/** A restore puts `working` back. Later answers from an ended epoch do not change it. */
const restored = (before: State.State, reduced: Rules.Sections, transition: Transition): Rules.Sections => {
  const patch = WorkingPatch.of(transition.body)
  if (patch !== undefined) return { world: reduced.world, working: WorkingPatch.apply(reduced.working, patch) }
  return reduced.working !== before.working && Scopes.isMasked(before, transition)
    ? { world: reduced.world, working: before.working }
    : reduced
}

/** Records which scopes a transition has written to `working` for. */
const scoped = (
  before: State.State,
  { working }: Rules.Sections,
  { kernel, transition }: { readonly kernel: State.Section; readonly transition: Transition }
): State.Section => {
  const scopes = kernel[Scopes.part.name]
  if (working === before.working || !Table.is(scopes) || transition.body.type === "run.started") return kernel
  const next = Scopes.written(scopes, before, working, transition)
  return next === scopes ? kernel : { ...kernel, [Scopes.part.name]: next }
}

/** Tells whether other rules are in force from this tick on: another pack, or an extension that takes effect. */
const isRenewed = (before: State.State, after: State.State, tick: number): boolean => {
  const { extensions, pack } = PackInForce.of(after)
  return PackInForce.of(before).pack !== pack || extensions.some((extension) => extension.effective_from_tick === tick)
}

/** Applies the rules; `undefined` if they throw, and then the sections stay. Throws if a state cannot be read. */
const applied = (rules: Rules.Rules, before: State.State, transition: Transition): Rules.Sections | undefined => {
  try {
    return rules.apply(before, transition)
  } catch (error) {
    if (Latch.isAbsent(error)) throw error
    return undefined
  }
}

const failed = (state: State.State, subject: string, tick: number): State.State => {
  const id = Latch.failureOf(`reduce.${subject}`)
  const latches = Latch.of(state)
  return Object.hasOwn(latches, id)
    ? state
    : { ...state, kernel: { ...state.kernel, [Latch.part]: { ...latches, [id]: tick } } }
}

const initials = new WeakMap<Rules.Sections, Digest.Digest>()

interface Handler {
  readonly name: string
  readonly init: State.StateField
  readonly evolve: NonNullable<Part.Any["on"]["*"]>
}

type EvolveKernel = (before: State.State, transition: Transition) => State.Section

/** Folds with those of the available parts that the run pins. */
const pinning = (parts: ReadonlyArray<Part.Any>, atHand: AtHand): EvolveKernel => {
  const own = pinsOf(parts)
  const current = compile(parts)
  const known = new Map([[own, current]])
  const pinned = (pins: string, tick: number): EvolveKernel => {
    const compiled = known.get(pins)
    if (compiled !== undefined) return compiled
    const absent = lacking(atHand, pins)
    const ours = absent.find((pin) => !Part.isForeign(pin))
    if (ours !== undefined) throw new SourceMissing({ kind: "part", digest: ours, tick })
    const found = compile(pins.split(" ").flatMap((pin) => atHand.get(pin) ?? []))
    const names = absent.map((pin) => pin.slice(0, pin.lastIndexOf("@")))
    const evolve: EvolveKernel = names.length === 0 ? found : (before, step) => without(found(before, step), names)
    known.set(pins, evolve)
    return evolve
  }
  return (before, transition) => {
    const pins = PackInForce.pinned(transition) ?? PackInForce.of(before).fold
    const evolve = pins === undefined || pins === own ? current : pinned(pins, transition.tick)
    return evolve(before, transition)
  }
}

type AtHand = ReadonlyMap<string, Part.Any>

const lacking = (atHand: AtHand, pins: string): ReadonlyArray<string> =>
  pins.split(" ").filter((pin) => !atHand.has(pin))

/**
 * Drops the states of parts that this fold does not have: a snapshot keeps them unchanged, and no transition changes
 * them.
 */
const without = (kernel: State.Section, names: ReadonlyArray<string>): State.Section => {
  if (names.every((name) => !Object.hasOwn(kernel, name))) return kernel
  return Object.fromEntries(Object.entries(kernel).filter(([name]) => !names.includes(name)))
}

const pinsOf = (parts: ReadonlyArray<Part.Any>): string => parts.map(Part.pin).join(" ")

/** One list of handlers for each type, so that a transition costs nothing in parts without a handler for it. */
const compile = (parts: ReadonlyArray<Part.Any>): EvolveKernel => {
  const handlers = new Map<string, ReadonlyArray<Handler>>()
  const of = ({ body: { type }, tick }: Transition): ReadonlyArray<Handler> => {
    const known = handlers.get(type)
    if (known !== undefined) return known
    // Checked once for each type: the effects of an unknown type must not be skipped silently.
    if (!Ontology.isType(type) && !Ontology.isForeign(type))
      throw new SourceMissing({ kind: "type", digest: type, tick })
    const found = parts.flatMap(({ init, name, on }) =>
      [on[type], on["*"]].flatMap((evolve) => (evolve === undefined ? [] : [{ name, init, evolve }]))
    )
    handlers.set(type, found)
    return found
  }
  return (before, transition) => {
    const found = of(transition)
    let copy: Record<string, State.StateField> | undefined
    for (let index = 0; index < found.length; index++) {
      const { evolve, init, name } = found[index]!
      const held = (copy ?? before.kernel)[name]
      const was = held ?? init
      const now = evolve(was as never, transition, before)
      if (now === was && held !== undefined) continue
      // The section is copied once, however many parts change it.
      copy ??= { ...before.kernel }
      copy[name] = now
    }
    return copy ?? before.kernel
  }
}
