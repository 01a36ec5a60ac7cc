/** Writes a whole file. */
import type { Answer, Call } from "../World.ts"

export default ({ args, world }: Call<{ readonly file_path: string; readonly content: string }>): Answer => ({
  output: `File created successfully at: ${args.file_path}`,
  world: { files: world.files.set(args.file_path, { content: args.content }) }
})
