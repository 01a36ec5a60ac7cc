/** `backstitch completions`: prints the completions of a shell. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Completions from "effect/cli/Completions"
import * as Effect from "effect/Effect"
import * as Terminal from "../../terminal/Terminal.ts"
import * as CompletionTree from "./CompletionTree.ts"

const config = {
  shell: Argument.Literals("shell", ["bash", "zsh", "fish"]).pipe(
    Argument.withDescription("Shell to write for: bash, zsh or fish")
  )
}

/** The command. `root` is the whole program, which contains it. */
export const completions = (root: () => Command.Command.Any) =>
  Command.make("completions", config, ({ shell }) =>
    Effect.sync(() => {
      const program = root()
      const script = Completions.generate(program.name, shell, CompletionTree.of(program))
      // Its heading names a flag of other programs, and this one has a command.
      Terminal.write(script.replace(`${program.name} --completions `, `${program.name} completions `))
    })
  ).pipe(
    Command.withDescription("Print the completions of a shell, for its start-up file."),
    Command.withShortDescription("Print shell completions"),
    Command.withExamples([
      { command: "backstitch completions bash >> ~/.bashrc", description: "Bash" },
      { command: "backstitch completions zsh > ~/.zsh/completions/_backstitch", description: "Zsh, in your fpath" },
      { command: "backstitch completions fish > ~/.config/fish/completions/backstitch.fish", description: "Fish" }
    ])
  )
