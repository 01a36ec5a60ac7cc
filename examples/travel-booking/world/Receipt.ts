/**
 * Receipts of mutations, and the ways in which they can be made to misreport.
 *
 * A receipt states what was asked. With a twist, what was written differs from it: only reading the record back tells.
 */

/** The difference between the write and the request: none, on another target, only in part, or not written. */
export type Twist = "none" | "wrong_target" | "partial" | "lie"

/** The record concerned and the answer that claims it. */
export interface Receipt {
  readonly kind: "booking" | "stay" | "charge" | "refund" | "message"
  readonly id: string
  readonly status: 200 | 201
  readonly body: unknown
}
