"""Commands and what they alone need: notebooks, previews, folders of results, publishing."""
