/**
 * Errors with which the world answers a request that it does not carry out.
 *
 * A final refusal (sold out, card declined) is the outcome of the request and is stored under its idempotency key.
 * Any other error is only in the request log, so the same key may be used again once the cause is gone.
 */

/** A refusal with the HTTP status, the code for programs and the message for people. */
export class DomainError extends Error {
  readonly status: number
  readonly code: string
  readonly final: boolean

  constructor(options: {
    readonly status: number
    readonly code: string
    readonly message: string
    readonly final?: boolean
  }) {
    super(options.message)
    this.name = "DomainError"
    this.status = options.status
    this.code = options.code
    this.final = options.final ?? false
  }

  /** The body that goes on the wire. */
  toBody(): string {
    return JSON.stringify({ error: { code: this.code, message: this.message } })
  }
}

/** Input that cannot be understood. */
export const malformed = (message: string): DomainError => new DomainError({ status: 400, code: "malformed", message })

/** An id or an address that does not exist here. */
export const notFound = (code: string, message: string): DomainError => new DomainError({ status: 404, code, message })

/** A refusal that repeating the request will not change. */
export const refused = (code: string, message: string, status: 402 | 409 = 409): DomainError =>
  new DomainError({ status, code, message, final: true })

/** The answer of the fault `wrong_target` if there is no other record to change. */
export const noOtherTarget = (target: string): DomainError =>
  new DomainError({
    status: 409,
    code: "no_other_target",
    message: `The fault wrong_target needs another target than ${target}, and there is none; create one first`
  })
