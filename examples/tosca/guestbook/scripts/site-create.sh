mkdir -p "$folder"
