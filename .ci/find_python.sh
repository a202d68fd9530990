# Print the first Python of the versions named that runs here, pyenv's included: find_python 3.13 3.12
find_python() {
  local version python
  for version in "$@"; do
    for python in "python$version" "$(pyenv root 2>/dev/null)/versions/$version".*/bin/"python$version"; do
      if "$python" -c "import sys; sys.exit('%d.%d' % sys.version_info[:2] != '$version')" 2>/dev/null
      then
        echo "$python"
        return
      fi
    done
  done
}
