/**
 * What a mutation reports, and how it can be made to misreport.
 *
 * A receipt states what was asked. With a twist, what was written differs from it: only reading the record back tells.
 */

/** How the write differs from the request: not at all, on another target, only in part, or not written. */
export type Twist = "none" | "wrong_target" | "partial" | "lie"

/** The record concerned and the answer that claims it. */
export interface Receipt {
  readonly kind: "booking" | "stay" | "charge" | "refund" | "message"
  readonly id: string
  readonly status: 200 | 201
  readonly body: unknown
}
