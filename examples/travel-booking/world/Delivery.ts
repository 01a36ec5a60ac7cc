/** Delivery over the wire: an answer, now or later, or none. */
import type { DomainError } from "./DomainError.ts"
import type { Fault } from "./Faults.ts"

/** An answer, complete. */
export interface Answer {
  readonly status: number
  readonly body: string
  readonly contentType?: string
  readonly replayed?: boolean
}

/**
 * An answer after a delay; a connection that is held without an answer, for a time or until the client gives up
 * (null); or a connection that is cut.
 */
export type Delivery =
  | { readonly way: "answer"; readonly answer: Answer; readonly delayMillis: number }
  | { readonly way: "hold"; readonly forMillis: number | null }
  | { readonly way: "cut" }

/** The delay of a slow answer, in milliseconds, if a request names none. */
const slowMillis = 1_000

/** An answer with a JSON body, at once. */
export const json = (status: number, body: unknown): Delivery => now({ status, body: JSON.stringify(body) })

/** A refusal, at once. */
export const refusal = (error: DomainError): Delivery => now({ status: error.status, body: error.toBody() })

/** An answer, at once. */
export const now = (answer: Answer): Delivery => ({ way: "answer", answer, delayMillis: 0 })

/** The way that an answer takes under a fault. */
export const under = (fault: Fault | undefined, answer: Answer): Delivery => {
  switch (fault?.kind) {
    case "slow":
      return { way: "answer", answer, delayMillis: fault.delayMillis ?? slowMillis }
    case "timeout_after_commit":
      return { way: "hold", forMillis: fault.delayMillis }
    case "lost_response":
      return { way: "cut" }
    case "garbage":
      return now({ status: 200, body: "<html><body>Service restored</body></html>", contentType: "text/html" })
    default:
      return now(answer)
  }
}
