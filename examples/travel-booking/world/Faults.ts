/**
 * Faults that the world can be told to have.
 *
 * A fault is armed in advance for a tool and used up by its next requests, or a request asks for it in its own
 * `Fault` header.
 */
import { malformed } from "./DomainError.ts"
import * as Input from "./Input.ts"
import * as Tool from "./Tool.ts"

/** Faults of any request: they affect the delivery of the answer. */
const transport = [
  "slow",
  "timeout_before_commit",
  "timeout_after_commit",
  "lost_response",
  "garbage",
  "refuse",
  "unavailable"
] as const

/** Faults of a mutation only: they affect the committed data, or the time of the commit. */
const commit = [
  "slow_commit",
  "late_commit",
  "queued",
  "queued_refused",
  "lie",
  "wrong_target",
  "partial",
  "duplicate_on_missing_key"
] as const

/** All the kinds of misbehaviour. */
export const kinds = [...transport, ...commit, "stale_read"] as const

/** A kind of misbehaviour. */
export type Kind = (typeof kinds)[number]

/** The fault that one request suffers. */
export interface Fault {
  readonly kind: Kind
  readonly delayMillis: number | null
}

/** A fault that waits: `after` requests of its tool have no fault, then `times` requests have it. */
export interface Armed extends Fault {
  readonly id: number
  readonly tool: Tool.Tool
  readonly tenant: string | null
  after: number
  times: number
}

/** The armed faults, in the order in which they will strike. */
export class Faults {
  #armed: Array<Armed> = []
  #last = 0

  /** Arms a fault from the JSON body that describes it. */
  arm(body: string): Armed {
    const fields = Input.fromBody(body, ["tool", "kind", "times", "after", "delayMillis", "tenant"])
    const tool = Input.oneOf(fields, "tool", [...Tool.mutations, ...Tool.reads])
    const kind = kindFor(tool, fields)
    const armed = {
      id: ++this.#last,
      tool,
      kind,
      times: fields["times"] === undefined ? 1 : Input.integer(fields, "times", { min: 1, max: 1_000_000_000 }),
      after: fields["after"] === undefined ? 0 : Input.integer(fields, "after", { min: 0, max: 1_000_000_000 }),
      delayMillis: delay(fields),
      tenant: fields["tenant"] === undefined ? null : Input.text(fields, "tenant")
    }
    this.#armed.push(armed)
    return armed
  }

  /** Takes the fault of the next request of a tool; the first armed fault that matches is used up. */
  take(tool: Tool.Tool, tenant: string): Fault | undefined {
    if (this.#armed.length === 0) return undefined
    const fault = this.#armed.find((armed) => armed.tool === tool && (armed.tenant ?? tenant) === tenant)
    if (fault === undefined) return undefined
    if (fault.after > 0) {
      fault.after--
      return undefined
    }
    fault.times--
    if (fault.times === 0) this.#armed = this.#armed.filter((armed) => armed !== fault)
    return fault
  }

  /** The faults that are still armed. */
  list(): ReadonlyArray<Armed> {
    return this.#armed
  }

  /** Disarms all faults and answers their number. */
  clear(): number {
    const cleared = this.#armed.length
    this.#armed = []
    return cleared
  }
}

/** The fault that a request asks for: `Fault: slow; delayMillis=200`. */
export const fromHeader = (tool: Tool.Tool, header: string): Fault => {
  const [kind, ...options] = header.split(";").map((part) => part.trim())
  const fields: Record<string, unknown> = { kind }
  for (const option of options) {
    const [name, value] = option.split("=")
    if (name !== "delayMillis") throw malformed("The Fault header is a kind, then optionally ; delayMillis=NUMBER")
    fields[name] = value
  }
  return { kind: kindFor(tool, fields), delayMillis: delay(fields) }
}

const kindFor = (tool: Tool.Tool, fields: Input.Fields): Kind => {
  const kind = Input.oneOf(fields, "kind", kinds)
  const possible: ReadonlyArray<Kind> = Tool.isRead(tool) ? [...transport, "stale_read"] : [...transport, ...commit]
  if (!possible.includes(kind)) throw malformed(`${tool} can't suffer ${kind}; it can: ${possible.join(", ")}`)
  return kind
}

const delay = (fields: Input.Fields): number | null =>
  fields["delayMillis"] === undefined ? null : Input.integer(fields, "delayMillis", { min: 0, max: 600_000 })
