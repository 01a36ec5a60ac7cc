/**
 * Takes a note. Nothing comes of it.
 *
 * @since 0.1.0
 */
import type { Answer } from "../World.ts"

export default (): Answer => ({ output: "" })
