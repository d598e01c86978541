import OperatorTool

@main
enum Main {
    static func main() async { await SightscreenCommand.runProgram() }
}
