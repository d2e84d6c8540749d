# Homebrew: the formula of a tap. brew install OWNER/tap/pixelmap
class Pixelmap < Formula
  desc "Draws Minecraft worlds as zoomable maps"
  homepage "https://github.com/@REPOSITORY@"
  version "@VERSION@"
  license any_of: ["MIT", "Apache-2.0"]

  on_macos do
    on_arm do
      url "https://github.com/@REPOSITORY@/releases/download/v@VERSION@/pixelmap-v@VERSION@-aarch64-apple-darwin.tar.gz"
      sha256 "@SHA256:aarch64-apple-darwin.tar.gz@"
    end
    on_intel do
      url "https://github.com/@REPOSITORY@/releases/download/v@VERSION@/pixelmap-v@VERSION@-x86_64-apple-darwin.tar.gz"
      sha256 "@SHA256:x86_64-apple-darwin.tar.gz@"
    end
  end

  on_linux do
    on_arm do
      url "https://github.com/@REPOSITORY@/releases/download/v@VERSION@/pixelmap-v@VERSION@-aarch64-unknown-linux-musl.tar.gz"
      sha256 "@SHA256:aarch64-unknown-linux-musl.tar.gz@"
    end
    on_intel do
      url "https://github.com/@REPOSITORY@/releases/download/v@VERSION@/pixelmap-v@VERSION@-x86_64-unknown-linux-musl.tar.gz"
      sha256 "@SHA256:x86_64-unknown-linux-musl.tar.gz@"
    end
  end

  def install
    bin.install "pixelmap"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/pixelmap.bash" => "pixelmap"
    zsh_completion.install "completions/_pixelmap"
    fish_completion.install "completions/pixelmap.fish"
    doc.install "docs"
  end

  test do
    assert_equal "pixelmap #{version}", shell_output("#{bin}/pixelmap --version").strip
  end
end
