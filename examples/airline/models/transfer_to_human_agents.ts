/**
 * Hands the conversation to a person.
 *
 * @since 0.1.0
 */
import type { Answer } from "../World.ts"

export default (): Answer => ({ output: "Transfer successful" })
