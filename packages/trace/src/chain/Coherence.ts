/**
 * The check that the transitions of a run agree with its name, its lineage and each other. It complements the check
 * of their hashes.
 *
 * A chain can be computed over any content. So a reader of a trace also compares its bodies and stamps with the run
 * that the trace claims to be, and with earlier transitions. An imported file, the rows of a store and
 * `tooling/verify.py` are checked by the same rules:
 *
 * | the transitions | have to |
 * | --- | --- |
 * | a beginning | be at tick 1, and name the tenant, the format and the ontology of the run |
 * | a fork | be where the lineage has one, and name its runs and the link that it extends |
 * | their times | never go back |
 * | an erasure | name only values to which the trace had committed before |
 * | the last one | end a commit: it has the state digest |
 *
 * @source docs/FORMAT.md
 */
import { isDigest } from "../bytes/Digest.ts"
import * as Ontology from "../transition/Ontology.ts"
import * as Payload from "../transition/Payload.ts"
import * as SealedValue from "../transition/SealedValue.ts"
import type { Sealed, Transition } from "../transition/Transition.ts"
import type { ChainFault, Head } from "./HashChain.ts"
import * as Lineage from "./Lineage.ts"
import type { Run } from "./Run.ts"

/** The run that a trace claims to be. Without an `ontology`, a beginning may name any. */
export interface StatedRun {
  readonly run: Run
  readonly lineage: ReadonlyArray<Lineage.Ancestor>
  readonly ontology?: number | undefined
}

/** A transition that disagrees, and the disagreement. */
export interface Flaw {
  readonly tick: number
  readonly found: ChainFault
  readonly problem?: string
}

/** Compares the transitions of a trace with each other, from the first on, in order. */
export class Coherence {
  readonly #told: StatedRun
  readonly #forks: ReadonlyMap<number, Lineage.Fork>
  readonly #committed = new Set<string>()
  #asOf = 0
  #ontology: number = Ontology.version
  #isWhole = true

  constructor(told: StatedRun) {
    this.#told = told
    this.#forks = Lineage.forks(told)
  }

  /**
   * Takes the next transition, whose parts were read from its texts, after a head. Answers the disagreement;
   * `undefined` if there is none.
   */
  take(before: Head, sealed: Sealed, { body, stamp }: Pick<Transition, "body" | "stamp">): Flaw | undefined {
    const { tick } = sealed
    const fork = this.#forks.get(tick)
    if (fork !== undefined && !Lineage.beginsFork(body, fork)) return { tick, found: "fork" }
    const said = this.#said(before, { body, tick }, fork)
    if (said !== undefined) return { tick, found: "run", problem: said }
    this.#ontology = Payload.of(body, "run.started")?.ontology ?? this.#ontology
    const needed = Payload.ontologyOf(body)
    if (needed > this.#ontology) {
      const problem = `its ${body.type} is of the ontology ${needed}, and the run of ${this.#ontology}`
      return { tick, found: "run", problem }
    }
    const { asOf } = stamp
    if (typeof asOf !== "number" || asOf < this.#asOf) {
      return { tick, found: "time", problem: `its asOf is ${JSON.stringify(asOf ?? null)}, after one of ${this.#asOf}` }
    }
    this.#asOf = asOf
    this.#isWhole = isDigest(stamp.state)
    if (body.type === "sealed.erased" && !this.#hasAll(Payload.of(body, "sealed.erased")?.values)) {
      return { tick, found: "erased" }
    }
    for (const commitment of sealed.body.includes('"$sealed"') ? SealedValue.commitments(body) : []) {
      this.#committed.add(commitment)
    }
    return undefined
  }

  /** Answers the disagreement of a trace that ends at a head; `undefined` if there is none. */
  end({ tick }: Head): Flaw | undefined {
    // Only the first own transition of a fork contains its name.
    if ([...this.#forks.keys()].some((begins) => begins > tick)) return { tick, found: "fork" }
    return this.#isWhole ? undefined : { tick, found: "cut" }
  }

  #hasAll(values: unknown): boolean {
    return Array.isArray(values) && values.every((value) => this.#committed.has(value))
  }

  /** A beginning names the tenant, the format and the ontology of the run, and a fork the link that it extends. */
  #said(
    before: Head,
    { body, tick }: Pick<Transition, "body" | "tick">,
    fork: Lineage.Fork | undefined
  ): string | undefined {
    if (body.type === "run.fork") {
      if (fork === undefined) return "a run.fork is the first transition of a fork alone"
      const isBound = Payload.of(body, "run.fork")?.link === before.link
      return isBound ? undefined : "its link is not the one that the fork extends"
    }
    if (body.type !== "run.started") return undefined
    if (tick !== 1) return "a run.started is the first transition of a run alone"
    const { ontology, run } = this.#told
    const said = Payload.of(body, "run.started")
    if (said?.tenant !== run.tenant) return `its tenant is not the ${run.tenant} of the run`
    if (said.format !== 1) return "its format is not the 1 of the run"
    if (ontology !== undefined && said.ontology !== ontology) return `its ontology is not the ${ontology} of the run`
    const reserved = Object.keys(said.namespaces ?? {}).find((name) => !Ontology.isForeign(`${name}.a`))
    return reserved === undefined ? undefined : `its namespace ${JSON.stringify(reserved)} is no embedder's`
  }
}
