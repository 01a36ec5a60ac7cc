/**
 * Makes what user code hands over fit for a trace.
 *
 * JavaScript has values that JSON cannot carry. Fields that are `undefined`
 * are left out, numbers that are none become null, and half a character
 * becomes U+FFFD. What is no data at all, such as a cycle, throws.
 *
 * @since 0.1.0
 */
import type { Json } from "@backstitch/trace/Canonical"

/** The value as JSON carries it. */
export const recordable = (value: unknown): Json => JSON.parse(JSON.stringify(value, wellFormed) ?? "null")

const wellFormed = (_: string, value: unknown): unknown => (typeof value === "string" ? value.toWellFormed() : value)
