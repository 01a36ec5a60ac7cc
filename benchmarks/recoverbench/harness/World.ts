/**
 * The world of a case: lookups that may drift, people who answer once, systems that keep records, and one failure.
 *
 * Each value is a digest of the call, of its inputs, and of how often the step was asked in its session. So a value
 * changes if one of its inputs changes, and both can be computed again.
 */
import * as ToolExecutor from "@backstitch/runtime/ToolExecutor"
import * as Digest from "@backstitch/trace/Digest"
import type * as Domain from "../universe/Domain.ts"
import type * as Plan from "../universe/Plan.ts"

/** The arguments of every tool. `basis` is the digest of the values that the agent had read. */
export interface Params {
  readonly entity: string
  readonly previous: string
  readonly key: string
  readonly step: string
  readonly basis: string
}

/** An answer, and the number of earlier answers for the step in the session. */
export type Answer = {
  readonly value: string
  readonly version: number
}

/** A digest, shortened to the digits that are needed to distinguish values. */
export const short = (text: string): string => Digest.ofBytes(text).slice(0, 16)

/** The value of a call of a tool. */
export const valueOf = (tool: string, { basis, entity }: Pick<Params, "basis" | "entity">, version: number): string =>
  short(`${tool}\n${entity}\n${basis}\n${version}`)

/** The digest of values that were read, in their order. */
export const basisOf = (values: ReadonlyArray<string | undefined>): string =>
  short(values.map((value) => value ?? "-").join("\n"))

/** The world of one trial. */
export class World {
  /** Values that a system of record holds, by the tool and the entity of the act, in the order of the acts. */
  readonly records = new Map<string, Array<string>>()
  private readonly keys = new Map<string, Answer>()
  private readonly answered = new Map<string, number>()
  private readonly failing: Plan.Step | undefined
  private readonly case: Domain.Case
  private session = 0
  private isCured = false

  /** Without a step that fails, none does. */
  constructor(failing: Plan.Step | undefined, each: Domain.Case) {
    this.failing = failing
    this.case = each
  }

  /** Begins a new session: people can be asked again, and lookups start from the beginning. */
  begin(): void {
    this.session++
  }

  /** Tells whether a step fails now. One step does, however often it is tried, until its failure was observed. */
  isFailing(step: string): boolean {
    return !this.isCured && step === this.failing?.id
  }

  /** Ends the failure. */
  cure(): void {
    this.isCured = true
  }

  /** The tools of a domain in this world. */
  tools(domain: Domain.Domain): ToolExecutor.Tools {
    return Object.fromEntries(
      Object.entries(domain.tools).map(([name, { does }]) => [
        name,
        does === "act" ? this.act(name) : { execute: (params: Params) => this.look(name, does, params) }
      ])
    )
  }

  private look(name: string, does: Domain.Tool["does"], params: Params): Answer | { readonly value: number } {
    if (this.isFailing(params.step)) return this.fail()
    const at = `${this.session} ${params.step}`
    const times = this.answered.get(at) ?? 0
    this.answered.set(at, times + 1)
    const version = does === "ask" || this.case.drifts.includes(name) ? times : 0
    return { value: valueOf(name, params, version), version }
  }

  private act(name: string): ToolExecutor.Tool {
    const at = ({ entity }: Params) => `${name} ${entity}`
    return {
      execute: (params: Params, { key = "" }) => {
        const known = this.keys.get(key)
        if (known !== undefined) return { ...known }
        if (this.isFailing(params.step)) return this.fail()
        const made = { value: valueOf(name, params, 0), version: 0 }
        this.keys.set(key, made)
        this.records.set(at(params), [...(this.records.get(at(params)) ?? []), made.value])
        return { ...made }
      },
      status: async ({ key = "" }) => {
        const known = this.keys.get(key)
        return known && { ...known }
      },
      readback: async (_, params: Params) => {
        const value = this.records.get(at(params))?.findLast((each) => each === valueOf(name, params, 0))
        return value === undefined ? undefined : { value, version: 0 }
      }
    }
  }

  /** Fails in the raw form of the signal. */
  private fail(): { readonly value: number } {
    const { signal } = this.case
    if (signal === "invalid_output") return { value: 0 }
    if (signal === "timeout") throw new Error("no answer came in time")
    throw new ToolExecutor.ToolRefused({ code: signal })
  }
}
