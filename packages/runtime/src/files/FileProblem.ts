/** Describes problems with files in words, since the codes of the operating system are for programs. */
import * as Schema from "effect/Schema"

const known: Readonly<Record<string, string>> = {
  EACCES: "it is not permitted",
  EDQUOT: "no more room is granted there",
  EEXIST: "a file of that name is there",
  EFBIG: "it would be larger than a file may be",
  EIO: "the disk failed",
  EISDIR: "it is a folder",
  ELOOP: "it is a link that leads back to itself",
  EMFILE: "too many files are open",
  ENAMETOOLONG: "its name is too long",
  ENOENT: "there is no such file or folder",
  ENOSPC: "the disk is full",
  ENOTDIR: "a part of its path is no folder",
  EPERM: "it is not permitted",
  EROFS: "the disk can only be read"
}

/** Error for a file that cannot be read under the given name. */
export class FileUnreadable extends Schema.TaggedError<FileUnreadable>("@backstitch/runtime/FileUnreadable")(
  "FileUnreadable",
  { file: Schema.String, problem: Schema.String }
) {
  override get message(): string {
    return `${this.file} cannot be read: ${this.problem}. Name a file that is there and may be read`
  }
}

/** Error for a name under which nothing can be written, such as the name of a folder. */
export class FileUnwritable extends Schema.TaggedError<FileUnwritable>("@backstitch/runtime/FileUnwritable")(
  "FileUnwritable",
  { file: Schema.String, problem: Schema.String }
) {
  override get message(): string {
    return `${this.file} cannot be written: ${this.problem}. Name a file that may be written, in a folder that is there`
  }
}

/** Error for a file with a valid name that could not be written, because its disk is full or failed. */
export class FileUnwritten extends Schema.TaggedError<FileUnwritten>("@backstitch/runtime/FileUnwritten")(
  "FileUnwritten",
  { file: Schema.String, problem: Schema.String }
) {
  override get message(): string {
    return `${this.file} cannot be written: ${this.problem}. Repeat when there is room`
  }
}

/** Says why a file could not be read or written. */
export const say = (cause: unknown): string => {
  if (!(cause instanceof Error)) return String(cause)
  const code = "code" in cause && typeof cause.code === "string" ? cause.code : ""
  // Node gives this answer if a folder cannot be made on a read-only disk.
  if (code === "ENOENT" && "syscall" in cause && cause.syscall === "mkdir") return "its folder cannot be made there"
  return known[code] ?? cause.message
}

/** The error for a file that could not be read. */
export const unreadable = (file: string, cause: unknown): FileUnreadable =>
  new FileUnreadable({ file, problem: say(cause) })

/** The error for a file that could not be written: another name, or more space, may help. */
export const unwritten = (file: string, cause: unknown): FileUnwritable | FileUnwritten => {
  const problem = say(cause)
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined
  return code === "ENOSPC" || code === "EDQUOT" || code === "EFBIG" || code === "EIO"
    ? new FileUnwritten({ file, problem })
    : new FileUnwritable({ file, problem })
}
