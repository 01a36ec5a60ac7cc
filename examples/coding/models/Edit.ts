/**
 * Replaces a text in a file: at its only place, or at all its places. The text of the file is the one that the
 * recording shows or, if it shows none, the one that this session knows. Any other file remains unknown.
 */
import type { Answer, Call } from "../World.ts"

type Args = {
  readonly file_path: string
  readonly old_string: string
  readonly new_string: string
  readonly replace_all?: boolean
}

type Shown = { readonly originalFile?: string | null }

export default ({ args, shown, world }: Call<Args, Shown>): Answer => {
  const found = shown?.originalFile
  const before = typeof found === "string" ? found : world.files.get(args.file_path)?.content
  if (before === undefined) return { output: null }
  const parts = before.split(args.old_string)
  const [first = "", ...rest] = parts
  const content =
    args.replace_all === true ? parts.join(args.new_string) : `${first}${args.new_string}${rest.join(args.old_string)}`
  return {
    output: `The file ${args.file_path} has been updated successfully.`,
    world: { files: world.files.set(args.file_path, { content }) }
  }
}
