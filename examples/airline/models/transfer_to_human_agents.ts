/** Hands the conversation to a person. */
import type { Answer } from "../World.ts"

export default (): Answer => ({ output: "Transfer successful" })
